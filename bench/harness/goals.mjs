/**
 * @typedef {{ what: string, goal: string, got: string, met: boolean }} Judgement
 */

/**
 * @param {string} what
 * @param {number} got
 * @param {number} limit
 * @param {string} unit
 * @returns {Judgement}
 */
export function below(what, got, limit, unit) {
  return {
    what,
    goal: `< ${round(limit)} ${unit}`,
    got: `${round(got)} ${unit}`,
    met: got < limit,
  };
}

/**
 * @param {string} what
 * @param {number} got
 * @param {number} limit
 * @param {string} unit
 * @returns {Judgement}
 */
export function atLeast(what, got, limit, unit) {
  return {
    what,
    goal: `>= ${round(limit)} ${unit}`,
    got: `${round(got)} ${unit}`,
    met: got >= limit,
  };
}

/** Three significant digits; whole numbers stay whole. */
function round(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
