/** The three questions a prober can ask. */
export const PROBE_KINDS = ['startup', 'liveness', 'readiness'] as const;

export type ProbeKind = (typeof PROBE_KINDS)[number];
