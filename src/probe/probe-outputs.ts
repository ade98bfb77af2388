import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import type { ProbeOptions } from '../core/probe-options.js';
import type { ProbeKind } from './probe-kind.js';
import type { ProbeModel } from './probe-model.js';
import type { ProbeOutput } from './probe-output.js';

export interface ProbeOutputsOptions {
  readonly options: ProbeOptions;
  readonly board: Board;
  readonly model: ProbeModel;
  readonly clock: Clock;
  /** Hands a message for systemd to the function of the options. */
  readonly notify: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Opens what is told of readiness and liveness without asking: files, and systemd. */
export async function openOutputs(given: ProbeOutputsOptions): Promise<readonly ProbeOutput[]> {
  const { files, systemd } = given.options;
  return [
    ...(files === undefined ? [] : [await openFiles(given, files)]),
    ...(systemd === undefined ? [] : [await openSystemd(given, systemd)]),
  ];
}

async function openFiles(
  { board, model, clock, onError }: ProbeOutputsOptions,
  files: NonNullable<ProbeOptions['files']>,
): Promise<ProbeOutput> {
  const { createProbeFiles } = await import('./probe-files.js');
  const textOf = (probe: ProbeKind): string | undefined => {
    // Nothing answers any more a moment later.
    if (board.phase() === 'stopped') return undefined;
    const decision = model.decision(probe, clock.now());
    if (model.httpStatus(probe, decision) !== 200) return undefined;
    const { status, reason } = decision;
    return `${JSON.stringify({ status, reason, pid: process.pid })}\n`;
  };
  return createProbeFiles({ files, textOf, clock, onError });
}

async function openSystemd(
  { board, model, clock, notify, onError }: ProbeOutputsOptions,
  systemd: NonNullable<ProbeOptions['systemd']>,
): Promise<ProbeOutput> {
  const [{ createSystemdNotifier }, { systemdTransport }] = await Promise.all([
    import('./systemd-notifier.js'),
    import('./systemd-transport.js'),
  ]);
  return createSystemdNotifier({
    notify: systemd,
    view: () => {
      const now = clock.now();
      return {
        phase: board.phase(),
        startup: model.state().startup,
        liveness: model.decision('liveness', now),
        readiness: model.decision('readiness', now),
      };
    },
    send: systemdTransport(systemd, notify),
    pid: process.pid,
    clock,
    onError,
  });
}
