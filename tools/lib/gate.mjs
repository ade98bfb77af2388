/**
 * What a gate found. A gate that examined nothing has failed, whatever its tool says.
 * @typedef {object} GateResult
 * @property {boolean} ok
 * @property {number} examined Number of things looked at (files, modules, packages, exports).
 * @property {string} output Text for people; empty when there is nothing to say.
 */

/**
 * @typedef {object} Gate
 * @property {string} name
 * @property {(root: string) => Promise<GateResult>} run Runs the gate on a folder laid out like this package.
 */

/**
 * @param {boolean} clean
 * @param {number} examined
 * @param {string} output
 * @returns {GateResult}
 */
export function verdict(clean, examined, output) {
  if (examined > 0) return { ok: clean, examined, output: clean ? '' : output.trim() };
  return { ok: false, examined, output: `nothing was examined\n${output}`.trim() };
}

/**
 * First capture of a pattern as a number, 0 when it does not occur.
 * @param {RegExp} pattern
 * @param {string} text
 */
export function countIn(pattern, text) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

/**
 * @param {string} text
 * @returns {unknown} The parsed JSON, or undefined when the text is something else.
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Says of each name that stands more than once in a list that it does.
 * @param {readonly string[]} names
 */
export function twice(names) {
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is there twice`);
}
