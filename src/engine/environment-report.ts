import type { Environment } from '../core/environment.js';
import { type EnvironmentFacts, factNotes, findings } from '../core/findings.js';
import type { Logger } from '../core/logger.js';
import type { ResolvedOptions } from '../core/resolve-options.js';
import { readEnvironmentFacts } from './environment-facts.js';
import { hasProcess } from './process-port.js';
import type { Publisher } from './publisher.js';

export interface EnvironmentReportOptions {
  readonly env: Environment;
  readonly resolved: Pick<ResolvedOptions, 'shutdown' | 'signals'>;
  readonly logger: Logger;
  readonly publisher: Publisher;
}

/** Says once where the process runs and what is wrong with it: in the log, and as notes of the diagnostic endpoint. */
export function reportEnvironment(options: EnvironmentReportOptions): void {
  const { env, resolved, logger, publisher } = options;
  if (!hasProcess()) return;
  const { deadlineMs, gracePeriodMs } = resolved.shutdown;
  const facts = readEnvironmentFacts({
    env,
    pid: process.pid,
    parentPid: process.ppid,
    shutdownDeadlineMs: deadlineMs,
    gracePeriodMs,
    handlesSignals: resolved.signals,
  });
  const found = findings(facts);
  const notes = factNotes(facts);
  for (const { code, text } of found) logger.warn({ event: 'environment_finding', code }, text);
  if (notes.length > 0) logger.info(fieldsOf(facts), `environment: ${notes.join(', ')}`);
  publisher.patch({ findings: [...found.map(({ text }) => text), ...notes] });
}

function fieldsOf(facts: EnvironmentFacts): Record<string, unknown> {
  const { cpuLimit, memoryLimitBytes, containerId, orchestrator } = facts;
  return { event: 'environment', cpuLimit, memoryLimitBytes, containerId, ...orchestrator };
}
