/** @param {readonly number[]} values */
export function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

/**
 * The smallest value that at least `share` of the values do not exceed (nearest rank).
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 */
export function quantile(values, share) {
  if (values.length === 0) throw new RangeError('a quantile needs at least one value');
  const rank = Math.ceil(share * values.length);
  return sorted(values)[Math.max(0, rank - 1)];
}

/** @param {readonly number[]} values */
export function median(values) {
  const ordered = sorted(values);
  const middle = ordered.length >> 1;
  if (ordered.length === 0) throw new RangeError('a median needs at least one value');
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

/** @param {readonly number[]} values */
export function spread(values) {
  return Math.max(...values) - Math.min(...values);
}

/**
 * The order of one round: as given, then reversed in the next, so that a drift of the machine favours nobody.
 * @template T
 * @param {readonly T[]} items
 * @param {number} round from 0
 */
export function alternate(items, round) {
  return round % 2 === 0 ? [...items] : [...items].reverse();
}
