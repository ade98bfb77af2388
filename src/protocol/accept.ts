/**
 * How much an `Accept` header (RFC 9110, section 12.5.1) likes a media type that it names, from 0 to 1; 0 where it does
 * not name it. Wildcards name nothing.
 */
export function mediaQuality(accept: string, type: string): number {
  let best = 0;
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name === type) best = Math.max(best, qualityOf(parameters));
  }
  return best;
}

/** The weight among the parameters of a range; 1 without one, 0 where it is none. */
export function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((each) => each.startsWith('q='));
  const quality = given === undefined ? 1 : Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
