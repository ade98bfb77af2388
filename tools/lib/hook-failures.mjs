import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Names the file to which a run writes what failed outside of tests: vitest's JSON report says of their tests only that they were skipped. */
export const HOOK_FAILURES_FILE = 'HALE_HOOK_FAILURES';

/**
 * One failure outside of a test.
 * @typedef {object} HookFailure
 * @property {string} file Absolute path of the test file.
 * @property {string} where What it belongs to.
 * @property {string} message
 */

/** A reporter of vitest that keeps what hooks failed with, and files that could not be loaded. */
export default class HookFailures {
  /** @type {HookFailure[]} */
  #failures = [];

  /** @param {import('vitest/node').TestSuite} suite */
  onTestSuiteResult(suite) {
    this.#keep(suite.module.moduleId, `a hook of "${suite.fullName}"`, suite.errors());
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    this.#keep(module.moduleId, 'outside of its tests', module.errors());
  }

  onTestRunEnd() {
    const file = process.env[HOOK_FAILURES_FILE];
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#failures));
  }

  /**
   * @param {string} file
   * @param {string} where
   * @param {readonly { message: string }[]} errors
   */
  #keep(file, where, errors) {
    for (const { message } of errors)
      this.#failures.push({ file, where, message: stripVTControlCharacters(message) });
  }
}
