import type { MessagePort } from 'node:worker_threads';
import { createBoard } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { errorText } from '../core/error-text.js';
import { createRedactor } from '../core/redact.js';
import type { MainSample } from './diagnosis/main-sampler.js';
import type { FromThread, ThreadData, ToThread } from './messages.js';
import type { ModelHooks } from './probe-model.js';
import { type ProbeSide, createProbeSide } from './probe-side.js';
import { captureCause } from './stack-capture.js';
import { createStallMonitor } from './stall-monitor.js';
import { type DirectLog, createStderrLog } from './stderr-log.js';

/** The part of a message port the thread uses. */
export type ThreadPort = Pick<MessagePort, 'on' | 'postMessage'>;

/** Runs the probe side on this thread, spoken to through `port`. */
export async function runThread(data: ThreadData, port: ThreadPort, clock: Clock): Promise<void> {
  const send = (message: FromThread): void => port.postMessage(message);
  const redact = createRedactor(data.redactKeys);
  const log = createStderrLog(clock, redact);
  const onError = (error: unknown): void => send({ type: 'error', message: errorText(error) });
  const evaluations = createQuestions<void>((id) => send({ type: 'evaluate', id }));
  const samples = createQuestions<MainSample>((id) => send({ type: 'sample', id }));
  const side: ProbeSide = createProbeSide({
    options: data.options,
    board: createBoard(data.board),
    clock,
    watchesLoop: true,
    hooks: createHooks({
      ...data,
      log,
      clock,
      onError,
      send(message) {
        if (message.type === 'stall') side.explainStall(message.report);
        send(message);
      },
    }),
    diagnose: { sampleMain: samples.ask, redact },
    evaluate: evaluations.ask,
    notify: (message) => send({ type: 'notify', message }),
    onError,
  });
  side.apply({ state: data.state, checks: [...data.state.checks.values()] });
  port.on('message', (message: ToThread) => receive(message, { side, evaluations, samples, send }));
  const result = await side.listen();
  if (result.ok) send({ type: 'listening', addresses: result.addresses });
  else send({ type: 'listen-failed', failure: result.failure });
}

interface Receiver {
  readonly side: ProbeSide;
  readonly evaluations: Questions<void>;
  readonly samples: Questions<MainSample>;
  readonly send: (message: FromThread) => void;
}

function receive(message: ToThread, { side, evaluations, samples, send }: Receiver): void {
  switch (message.type) {
    case 'update':
      side.apply(message.update);
      break;
    case 'evaluated':
      evaluations.answered(message.id);
      break;
    case 'sampled':
      samples.answered(message.id, message.sample);
      break;
    case 'metrics':
      send({ type: 'metrics', id: message.id, readings: side.metrics() });
      break;
    case 'close':
      void side.close().then(() => send({ type: 'closed' }));
      break;
  }
}

/** Questions to the main thread, whose answers come later or never. */
interface Questions<T> {
  readonly ask: () => Promise<T>;
  readonly answered: (id: number, answer: T) => void;
}

function createQuestions<T>(send: (id: number) => void): Questions<T> {
  const waiting = new Map<number, (answer: T) => void>();
  let lastId = 0;
  return {
    ask: () =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        send(lastId);
      }),
    answered(id, answer) {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
  };
}

interface HookOptions {
  readonly send: (message: FromThread) => void;
  readonly log: DirectLog;
  readonly clock: Clock;
  readonly inspectable: boolean;
  readonly onError: (error: unknown) => void;
}

function createHooks({ send, log, clock, inspectable, onError }: HookOptions): ModelHooks {
  const monitor = createStallMonitor({
    capture: () => captureCause({ clock, pid: process.pid, inspectable }),
    log,
    onStall: (report) => send({ type: 'stall', report }),
    onStallEnd: (end) => send({ type: 'stall-end', end }),
    onError,
  });
  return {
    onStall: (blockedForMs) => monitor.begin(blockedForMs),
    onStallEnd: (blockedForMs) => monitor.end(blockedForMs),
    onLivenessFailed(reason) {
      log('error', 'liveness_failed', { reason }, `liveness fails: ${reason}`);
      send({ type: 'liveness-failed', reason });
    },
  };
}
