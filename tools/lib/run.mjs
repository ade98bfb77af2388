import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the package. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * @typedef {object} RunResult
 * @property {number} code Exit code; 1 when the process ended by a signal.
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} output Both streams in order of arrival.
 */

/**
 * Absolute path of a tool that this package has installed.
 * @param {string} name
 */
export function bin(name) {
  return path.join(ROOT, 'node_modules', '.bin', name);
}

/**
 * Runs a program and collects what it prints.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<RunResult>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const result = { code: 1, stdout: '', stderr: '', output: '' };
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      result.stdout += text;
      result.output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      result.stderr += text;
      result.output += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...result, code: code ?? 1 }));
  });
}

/**
 * Runs a program with this process's streams and returns its exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdout?: 'inherit' | number }} [options]
 * @returns {Promise<number>}
 */
export function runVisibly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', options.stdout ?? 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Like runVisibly, but prints everything at the end, so that it does not mix with what runs beside it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export async function runQuietly(command, args, options) {
  const { code, output } = await run(command, args, options);
  process.stdout.write(output);
  return code;
}
