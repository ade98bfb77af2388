import type { Board } from '../../core/board.js';
import type { Decision } from '../../core/decision.js';
import type { TimelineEntry } from '../../core/diagnosis.js';
import type { LeaseView } from '../../core/lease-host.js';
import { plainText } from '../../core/plain-text.js';
import type { ProbeState } from '../../core/probe-state.js';
import { PROBE_KINDS, type ProbeKind } from '../probe-kind.js';
import type { ProbeModel } from '../probe-model.js';
import { createChanges } from './changes.js';
import type { Moment } from './moment.js';

/** Notices what changes besides checks: probes, the phase, leases, parts of the program that stand still. */
export interface ChangeWatch {
  look(moment: Moment): void;
  stall(moment: Moment): void;
  stallEnd(blockedForMs: number, moment: Moment): void;
  /** Wall-clock time since which a probe has its status; undefined while it never changed. */
  probeSince(kind: ProbeKind): number | undefined;
}

export interface ChangeWatchOptions {
  readonly model: Pick<ProbeModel, 'decision' | 'state' | 'stalledProgress'>;
  readonly board: Pick<Board, 'phase'>;
  readonly add: (entry: TimelineEntry) => void;
}

/** The name of the main loop in the timeline. */
export const LOOP = 'main loop';

/** Creates the watch; what it sees first is no change. */
export function createChangeWatch({ model, board, add }: ChangeWatchOptions): ChangeWatch {
  const changes = createChanges(add);
  const decisions = new Map<ProbeKind, Decision>();
  let leases: readonly LeaseView[] | undefined;
  let standing: readonly string[] = [];
  let progress: ProbeState['progress'] = [];
  /** What has ever stood still and may again. */
  const stood = new Set<string>();

  function lookAtProbes(moment: Moment): void {
    for (const name of PROBE_KINDS) {
      const decision = model.decision(name, moment.now);
      // The same answer as at the last look: nothing was decided in between.
      if (decisions.get(name) === decision) continue;
      decisions.set(name, decision);
      const { status, reason, reasons } = decision;
      const text = reasons.length === 0 ? reason : reasons.join(', ');
      changes.follow({ kind: 'probe', name }, status, moment, {
        detail: reason,
        text: plainText(text),
      });
    }
  }

  function lookAtLeases(moment: Moment): void {
    const { leases: seen = [] } = model.state();
    if (seen === leases) return;
    for (const { name } of leases ?? []) {
      if (!seen.some((lease) => lease.name === name))
        changes.forget({ kind: 'lease', name: plainText(name) });
    }
    leases = seen;
    for (const { name, state, fence } of seen) {
      const text = fence === undefined ? undefined : `token ${plainText(fence)}`;
      changes.follow({ kind: 'lease', name: plainText(name) }, state, moment, { text });
    }
  }

  /** Jobs may have a progress each: what is gone is forgotten, and by the same name comes another. */
  function forgetProgress(): void {
    const { progress: seen } = model.state();
    if (seen === progress) return;
    progress = seen;
    for (const name of stood) {
      if (standing.includes(name) || seen.some((each) => each.name === name)) continue;
      changes.forget({ kind: 'stall', name });
      stood.delete(name);
    }
  }

  function lookAtProgress(moment: Moment): void {
    forgetProgress();
    const now = model.stalledProgress();
    if (now === standing) return;
    for (const name of now) stood.add(name);
    for (const name of now)
      changes.follow({ kind: 'stall', name }, 'standing', moment, { before: 'moving' });
    for (const name of standing)
      if (!now.includes(name)) changes.follow({ kind: 'stall', name }, 'moving', moment);
    standing = now;
  }

  return {
    look(moment) {
      changes.follow({ kind: 'phase', name: 'phase' }, board.phase(), moment);
      lookAtLeases(moment);
      lookAtProgress(moment);
      lookAtProbes(moment);
    },
    stall: (moment) =>
      changes.follow({ kind: 'stall', name: LOOP }, 'standing', moment, { before: 'turning' }),
    stallEnd: (lastedMs, moment) =>
      changes.follow({ kind: 'stall', name: LOOP }, 'turning', moment, { lastedMs }),
    probeSince: (name) => changes.since({ kind: 'probe', name }),
  };
}
