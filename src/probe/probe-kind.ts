/** The three questions a prober can ask. */
export type ProbeKind = 'startup' | 'liveness' | 'readiness';
