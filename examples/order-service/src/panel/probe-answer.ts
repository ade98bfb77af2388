export type ProbeName = 'startup' | 'liveness' | 'readiness';

/** What one probe said, as the panel shows it. */
export interface ProbeAnswer {
  readonly probe: ProbeName;
  /** HTTP status; `null` when there was no answer in time. */
  readonly code: number | null;
  readonly status: string;
  readonly reason: string;
  readonly tookMs: number;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 120) : '';
}

/** Reads a probe's answer; `code` undefined means that none came. */
export function parseProbeAnswer(
  probe: ProbeName,
  code: number | undefined,
  body: string,
  tookMs: number,
): ProbeAnswer {
  const rounded = Math.round(tookMs * 10) / 10;
  if (code === undefined) {
    return { probe, code: null, status: 'no answer', reason: '', tookMs: rounded };
  }
  let fields: Record<string, unknown> = {};
  try {
    fields = Object(JSON.parse(body)) as Record<string, unknown>;
  } catch {
    // A body that is not JSON has no reason to show; the status code speaks.
  }
  const status = text(fields['status']) || (code < 400 ? 'pass' : 'fail');
  return { probe, code, status, reason: text(fields['reason']), tookMs: rounded };
}
