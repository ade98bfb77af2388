import type { Diagnosis } from '../core/diagnosis.js';

/** A diagnosis as JSON, in parts: each check is one, and is looked at only when its turn comes. */
export function* diagnosisJson({
  checks,
  ...rest
}: Diagnosis): Generator<string, undefined, undefined> {
  yield `${JSON.stringify(rest).slice(0, -1)},"checks":[`;
  let comma = '';
  for (const check of checks) {
    yield comma + JSON.stringify(check);
    comma = ',';
  }
  yield ']}';
}
