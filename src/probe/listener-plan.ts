import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { DEFAULTS } from '../core/defaults.js';
import type { BoundAddress } from '../core/probe-host.js';
import type { PortOptions, ProbeOptions } from '../core/probe-options.js';
import { encodeAgentCheck, weightByLoad } from '../protocol/agent-check.js';
import type { EventStreams } from './diagnosis/event-streams.js';
import type { ProbeHandler } from './handler.js';
import type { OpenListener } from './open-listener.js';
import type { Pace } from './pace.js';
import type { ProbeModel } from './probe-model.js';

/** A listener that the configuration asks for. */
export interface PlannedListener {
  readonly kind: BoundAddress['kind'];
  readonly listener: PortOptions;
  /** @throws Error the system's error, with its `code`, when the address cannot be bound. */
  start(): Promise<OpenListener>;
}

export interface PlanOptions {
  readonly options: ProbeOptions;
  readonly board: Board;
  readonly model: ProbeModel;
  readonly clock: Clock;
  /** What the probe port answers with. */
  readonly handler: ProbeHandler;
  /** What the diagnostic port answers with. */
  readonly diagnosis: ProbeHandler;
  /** The events of the diagnostic port, where it has some. */
  readonly streams?: EventStreams | undefined;
  /** Sends what is large. */
  readonly pace: Pace;
  /** Waits for on-demand checks; never rejects. */
  readonly evaluate: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Lists what is to be opened, and nothing else. Each module is loaded when its listener starts: node:http is most of
 * what hale would cost to import, and node:http2 costs as much again.
 */
export function planListeners(plan: PlanOptions): readonly PlannedListener[] {
  const { options, handler, diagnosis } = plan;
  return [
    ...http(plan, 'probes', options.listener, handler),
    ...http(plan, 'diagnostic', options.diagnostic, diagnosis, options.diagnostic),
    ...tcp(plan),
    ...agentCheck(plan),
    ...grpc(plan),
  ];
}

function http(
  { clock, onError, streams, pace }: PlanOptions,
  kind: 'probes' | 'diagnostic',
  listener: ProbeOptions['listener'],
  handler: ProbeHandler,
  guarded: ProbeOptions['diagnostic'] = false,
): PlannedListener[] {
  if (listener === false) return [];
  const start = async (): Promise<OpenListener> => {
    const [{ openHttpListener }, { createAccessGuard }] = await Promise.all([
      import('./http-listener.js'),
      import('./access-guard.js'),
    ]);
    const guard = guarded === false ? undefined : createAccessGuard(guarded);
    const events = kind === 'diagnostic' ? streams : undefined;
    return openHttpListener({ kind, listener, handler, guard, events, pace, clock, onError });
  };
  return [{ kind, listener, start }];
}

function tcp({ options, model, clock, onError }: PlanOptions): PlannedListener[] {
  const { tcp: listener } = options;
  if (listener === undefined) return [];
  const start = async (): Promise<OpenListener> => {
    const { openTcpListener } = await import('./tcp-listener.js');
    return openTcpListener({ listener, isReady: () => readiness(model, clock).ready, onError });
  };
  return [{ kind: 'tcp', listener, start }];
}

function agentCheck({ options, model, board, clock, onError }: PlanOptions): PlannedListener[] {
  const { agentCheck: listener } = options;
  if (listener === undefined) return [];
  const { fullAt } = listener;
  const line = (): string => {
    const weight =
      fullAt === undefined ? {} : { weightPercent: weightByLoad(board.inFlight(), fullAt) };
    return encodeAgentCheck({ ...readiness(model, clock), ...weight });
  };
  const start = async (): Promise<OpenListener> => {
    const { openAgentCheckListener } = await import('./agent-check-listener.js');
    const { maxConnections } = DEFAULTS;
    return openAgentCheckListener({ listener, maxConnections, line, clock, onError });
  };
  return [{ kind: 'agentCheck', listener, start }];
}

function grpc({ options, evaluate, board, model, clock, onError }: PlanOptions): PlannedListener[] {
  const { grpc: listener, details } = options;
  if (listener === undefined) return [];
  const start = async (): Promise<OpenListener> => {
    const [{ openGrpcListener }, { createGrpcServices }] = await Promise.all([
      import('./grpc-listener.js'),
      import('./grpc-services.js'),
    ]);
    return openGrpcListener({
      listener,
      maxConnections: DEFAULTS.maxConnections,
      services: createGrpcServices({ model, clock, details, evaluate }),
      hasStopped: () => board.phase() === 'stopped',
      clock,
      onError,
    });
  };
  return [{ kind: 'grpc', listener, start }];
}

function readiness(
  model: ProbeModel,
  clock: Pick<Clock, 'now'>,
): { decision: ReturnType<ProbeModel['decision']>; ready: boolean } {
  const decision = model.decision('readiness', clock.now());
  return { decision, ready: model.httpStatus('readiness', decision) === 200 };
}
