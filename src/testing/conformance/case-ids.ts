/** What each case does to the server or to the way there. */
export const CASES = {
  healthy: 'passes against a healthy server',
  late: 'fails until the server is there, then passes',
  stopped: 'fails while the server is stopped, recovers after its restart',
  frozen: 'fails within the deadline while the server is frozen, recovers when it goes on',
  slow: 'passes on a slow way, fails within the deadline on one that is too slow, recovers',
  refused: 'fails while connecting is refused, recovers',
  cut: 'fails while every connection is reset, without a storm of new ones, recovers',
  reset_midway: 'fails when connections are reset in the middle of an answer, recovers',
  half_open: 'fails within the deadline before a peer that accepts and says nothing, recovers',
  wrong_password: 'fails with a wrong password and does not tell it',
  leak: 'leaves no connection behind, however often it runs, passing or failing',
  disposed: 'ends at once when it is disposed in the middle of a run, and leaves nothing',
} as const;

/** The cases of the kit. */
export type CaseId = keyof typeof CASES;

/** Every {@link CaseId}, in the order in which they run. */
export const CASE_IDS = Object.keys(CASES) as readonly CaseId[];
