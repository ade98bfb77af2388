import type { Check, CheckRun } from '../../src/core/check.js';
import { createBoard } from '../../src/core/board.js';
import type { LogFields, Logger } from '../../src/core/logger.js';
import { type ProbeState, applyUpdate, initialProbeState } from '../../src/core/probe-state.js';
import { decideReadiness } from '../../src/core/readiness.js';
import { resolveCheck, resolveCheckDefaults } from '../../src/core/resolve-check.js';
import { type CheckRegistryOptions, createCheckRegistry } from '../../src/engine/check-registry.js';
import { createLimiter } from '../../src/engine/limiter.js';
import { createPublisher } from '../../src/engine/publisher.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger that keeps its lines. */
export function createLog(): { lines: LogLine[]; logger: Logger } {
  const lines: LogLine[] = [];
  const keep = (level: LogLine['level']) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, logger: { info: keep('info'), warn: keep('warn'), error: keep('error') } };
}

export const check = (name: string, definition: CheckRun | Check) =>
  resolveCheck(name, definition, resolveCheckDefaults({}, {}));

/** The engine's checks with the probe side played by the pure functions it uses. */
export function setUpRegistry(overrides: Partial<CheckRegistryOptions> = {}) {
  const clock = createManualClock();
  const board = createBoard();
  const log = createLog();
  const errors: { error: unknown; where: string }[] = [];
  const probe: { state: ProbeState; updates: number } = {
    state: {
      ...initialProbeState,
      startup: { complete: true, timedOut: false, total: 0, remaining: [] },
    },
    updates: 0,
  };
  const onError = (error: unknown, where = 'publisher') => void errors.push({ error, where });
  const publisher = createPublisher({
    publish: (update) => {
      probe.updates += 1;
      probe.state = applyUpdate(probe.state, update);
    },
    onError,
  });
  const options: CheckRegistryOptions = {
    clock,
    board,
    publisher,
    random: () => 0.5,
    limiter: createLimiter(8, clock),
    logger: log.logger,
    redact: (text) => text,
    onError,
    ...overrides,
  };
  const registry = createCheckRegistry(options);
  const readiness = () =>
    decideReadiness({
      state: probe.state,
      phase: 'running',
      now: clock.now(),
      evaluatedAt: board.evaluatedAt(),
      staleAfterMs: 10_000,
    });
  return { clock, board, probe, publisher, registry, readiness, errors, log };
}
