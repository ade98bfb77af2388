/**
 * @typedef {object} Line
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {number} tookMs
 * @property {string} note
 */

/** @typedef {ReturnType<typeof createSummary>} Summary */

/** Counts gates and tests, prints failures as they happen and the totals at the end. */
export function createSummary() {
  /** @type {Line[]} */
  const lines = [];
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  const retries = [];
  let tests = 0;

  /**
   * Counts one thing that passes unless it throws.
   * @param {string} name
   * @param {() => Promise<void>} action
   */
  const step = (name, action) => gate(name, () => action().then(() => PASSED, failure));

  /**
   * Counts a gate as one test.
   * @param {string} name
   * @param {() => Promise<import('./gate.mjs').GateResult>} run
   */
  const gate = async (name, run) => {
    const startedAt = Date.now();
    const { ok, examined, output } = await run().catch(failure);
    const note = examined > 0 ? `${examined} examined` : '';
    const line = { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, note };
    lines.push({ ...line, tookMs: Date.now() - startedAt });
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${note ? ` (${note})` : ''}`);
    if (ok) return;
    console.log(indent(output));
    failures.push(`${name}\n${indent(lastLines(output))}`);
  };

  /**
   * Adds the result of one vitest project.
   * @param {Line & { failures: readonly string[], retried: readonly string[] }} result
   */
  const project = ({ failures: failed, retried, ...line }) => {
    lines.push(line);
    failures.push(...failed);
    retries.push(...retried);
    tests += line.passed + line.failed;
  };

  /**
   * Prints what failed, the table and, alone on the last line, the totals. Whoever sees only the end of a long log
   * still learns what failed.
   * @returns {number} Exit code.
   */
  const finish = () => {
    if (tests === 0) {
      lines.push({ name: 'no vitest test ran', passed: 0, failed: 1, tookMs: 0, note: '' });
    }
    const passed = lines.reduce((sum, line) => sum + line.passed, 0);
    const failed = lines.reduce((sum, line) => sum + line.failed, 0);
    for (const retried of retries) console.log(`\nSECOND TRY ${retried}`);
    for (const failed of failures) console.log(`\nFAILED ${failed}`);
    console.log(`\n${lines.map((line) => row(line)).join('\n')}\n`);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  };

  return { step, gate, project, finish };
}

/** @type {import('./gate.mjs').GateResult} */
const PASSED = { ok: true, examined: 0, output: '' };

/**
 * @param {unknown} error
 * @returns {import('./gate.mjs').GateResult}
 */
function failure(error) {
  return {
    ok: false,
    examined: 0,
    output: error instanceof Error ? (error.stack ?? '') : String(error),
  };
}

/** @param {string} text */
function lastLines(text) {
  return text.trimEnd().split('\n').slice(-20).join('\n');
}

/** @param {string} text */
function indent(text) {
  return text.replace(/^/gm, '     ');
}

/** @param {Line} line */
function row({ name, passed, failed, tookMs, note }) {
  const counts = `${passed} passed, ${failed} failed`.padEnd(24);
  const seconds = `${(tookMs / 1000).toFixed(1)} s`.padStart(8);
  return `${failed === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(38)}${counts}${seconds}  ${note}`.trimEnd();
}
