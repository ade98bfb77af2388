import type { Decision } from '../../core/decision.js';
import { isoTime } from '../../core/iso-time.js';
import type { Phase } from '../../core/phase.js';
import { functionOption, objectOption, textOption } from '../../core/validate.js';
import { instanceData } from './instance-data.js';

/** The part of a health that {@link publishInstance} uses. */
export interface PublishedHealth {
  report(): { readonly phase: Phase; readonly readiness: Decision };
  onChange(listener: () => void): () => void;
}

/** The part of a lease that {@link publishInstance} uses. */
export interface PublishedLease {
  update(data: string): void;
}

/** What a health does not know about its instance. */
export interface PublishOptions {
  /** Such as `1.4.2`. */
  version?: string | undefined;
  /** Such as the commit it was built from. */
  releaseId?: string | undefined;
}

/**
 * Keeps what observers of the fleet read about this instance up to date: phase, readiness and its reason, version, and
 * when it started. It travels with the next renewal, so it may be a heartbeat old. No error text and no name of a host is
 * in it. The returned function ends it.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function publishInstance(
  health: PublishedHealth,
  lease: PublishedLease,
  options: PublishOptions & { readonly startedAt: number },
): () => void {
  functionOption('publishInstance (a health): report', health?.report);
  functionOption('publishInstance (a health): onChange', health.onChange);
  functionOption('publishInstance (a lease): update', lease?.update);
  const { version, releaseId, startedAt } = objectOption('publishInstance', options);
  const fixed = {
    ...(version === undefined ? {} : { version: textOption('version', version) }),
    ...(releaseId === undefined ? {} : { releaseId: textOption('releaseId', releaseId) }),
    startedAt: isoTime(startedAt),
  };
  const publish = (): void => {
    const { phase, readiness } = health.report();
    const { status, reason } = readiness;
    lease.update(instanceData({ ...fixed, phase, status, reason }));
  };
  publish();
  return health.onChange(publish);
}
