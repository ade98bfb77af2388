import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from './gate.mjs';
import { HOOK_FAILURES_FILE } from './hook-failures.mjs';
import { bin, ROOT, runVisibly } from './run.mjs';

const HOOK_FAILURES = fileURLToPath(new URL('hook-failures.mjs', import.meta.url));

/**
 * The part of vitest's JSON report that is counted.
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ name: string, status: string, assertionResults: AssertionResult[] }[]} testResults
 */

/** @typedef {{ fullName: string, status: string, failureMessages?: string[] }} AssertionResult */

/** @typedef {{ passed: number, failed: number, note: string, failures: string[], retried: string[] }} Counts */

/** Enough for a property's seed and counterexample. */
const MESSAGE_LINES = 12;

/**
 * Runs one vitest project for people to read and adds its counts to the summary.
 * @param {string} project
 * @param {import('./summary.mjs').Summary} summary
 * @param {(command: string, args: readonly string[], options?: { cwd?: string, env?: NodeJS.ProcessEnv }) => Promise<number>} [start]
 */
export async function runProject(project, summary, start = runVisibly) {
  const startedAt = Date.now();
  const counts = await countProject(project, ROOT, start);
  summary.project({ name: `vitest ${project}`, ...counts, tookMs: Date.now() - startedAt });
}

/**
 * Runs one vitest project of a package and counts its tests.
 * @param {string} project
 * @param {string} root Folder of the package.
 * @param {(command: string, args: readonly string[], options?: { cwd?: string, env?: NodeJS.ProcessEnv }) => Promise<number>} start
 * @returns {Promise<Counts>}
 */
export async function countProject(project, root, start) {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-vitest-'));
  try {
    const file = path.join(folder, 'report.json');
    const hooks = path.join(folder, 'hooks.json');
    const env = { [HOOK_FAILURES_FILE]: hooks };
    const code = await start(bin('vitest'), vitestArgs(project, file), { cwd: root, env });
    const report = /** @type {Report | undefined} */ (readJson(file));
    const counts = count(report, code, root);
    return { ...counts, failures: [...hookFailuresOf(readJson(hooks), root), ...counts.failures] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} project
 * @param {string} file
 */
function vitestArgs(project, file) {
  const args = ['run', '--project', project, '--reporter', 'default', '--reporter', 'json'];
  args.push('--reporter', HOOK_FAILURES, `--outputFile.json=${file}`);
  if (project === 'unit') args.push('--coverage');
  return args;
}

/** @param {string} file */
function readJson(file) {
  try {
    return parseJson(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Counts a run. A file that cannot be loaded, a skipped test and an exit code that no failed test
 * explains (coverage below its threshold, an unhandled error, no test at all) each count as failed.
 * @param {Report | undefined} report
 * @param {number} code Exit code of vitest.
 * @param {string} root
 * @returns {Counts}
 */
function count(report, code, root) {
  if (report === undefined) {
    const note = `no report, exit code ${code}`;
    return { passed: 0, failed: 1, note, failures: [], retried: [] };
  }
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const skipped = report.numPendingTests + report.numTodoTests;
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + broken + skipped;
  const notes = [
    ...(broken > 0 ? [`${broken} files did not load`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const names = { failures: failuresOf(report, root), retried: retriedOf(report, root) };
  if (names.retried.length > 0) notes.push(`${names.retried.length} passed at a second try`);
  if (passed + failed === 0) return { passed, failed: 1, note: 'no test ran', ...names };
  if (code === 0 || failed > 0) return { passed, failed, note: notes.join(', '), ...names };
  const note = 'coverage below its threshold, or an unhandled error';
  return { passed, failed: 1, note, ...names };
}

/**
 * Names what did not pass, with the beginning of its message.
 * @param {Report} report
 * @param {string} root
 * @returns {string[]}
 */
function failuresOf(report, root) {
  return report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = path.relative(root, name);
    if (status === 'failed' && assertionResults.length === 0) return [`${file}: did not load`];
    return assertionResults
      .filter((test) => test.status !== 'passed')
      .map((test) => `${file}: ${test.fullName} (${test.status})${messageOf(test)}`);
  });
}

/**
 * Names the hooks that failed, of which the tests they were for say nothing.
 * @param {unknown} failures
 * @param {string} root
 * @returns {string[]}
 */
function hookFailuresOf(failures, root) {
  const found = /** @type {import('./hook-failures.mjs').HookFailure[] | undefined} */ (failures);
  return (found ?? []).map(({ file, where, message }) => {
    const test = { fullName: '', status: '', failureMessages: [message] };
    return `${path.relative(root, file)}: ${where}${messageOf(test)}`;
  });
}

/**
 * Names what passed only after it had failed once.
 * @param {Report} report
 * @param {string} root
 * @returns {string[]}
 */
function retriedOf(report, root) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(
        ({ status, failureMessages = [] }) => status === 'passed' && failureMessages.length > 0,
      )
      .map((test) => `${path.relative(root, name)}: ${test.fullName}${messageOf(test)}`),
  );
}

/** @param {AssertionResult} test */
function messageOf({ failureMessages = [] }) {
  const lines = failureMessages.flatMap((text) => text.split('\n')).slice(0, MESSAGE_LINES);
  return lines.map((text) => `\n     ${text}`).join('');
}
