import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const bench = new URL('../', import.meta.url);

/** @param {string} path relative to `bench/` */
export function benchFile(path) {
  return fileURLToPath(new URL(path, bench));
}

/**
 * Starts a fresh Node.js process that speaks JSON lines on standard output.
 * @param {string} file relative to `bench/`
 * @param {unknown} argument
 * @param {Launch} launch
 */
export function startProcess(file, argument, { env = {}, nodeFlags = [] } = {}) {
  const args = [...nodeFlags, benchFile(file), JSON.stringify(argument)];
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(bench),
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A child that died early is reported by the line that never came, not by the pipe.
  child.stdin.on('error', () => {});
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints = (complaints + text).slice(-4000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid,
    send: () => void child.stdin.write('\n'),
    async nextLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} ended without an answer:\n${complaints}`);
      return JSON.parse(value);
    },
    async stop() {
      const ended = child.exitCode !== null || child.signalCode !== null;
      child.stdin.end();
      if (!ended) await once(child, 'exit');
    },
  };
}

/**
 * Runs a client to its end and returns the one line it printed.
 * @param {string} file relative to `bench/`
 * @param {unknown} argument
 */
export async function runClient(file, argument) {
  const client = startProcess(file, argument);
  try {
    return await client.nextLine();
  } finally {
    await client.stop();
  }
}

/**
 * Starts a subject, gives it to `use`, and stops it whatever happens.
 * @template T
 * @param {string} name
 * @param {Record<string, unknown>} options
 * @param {(subject: Subject) => Promise<T>} use
 * @param {Launch} launch
 */
export async function withSubject(name, options, use, launch = {}) {
  const process = startProcess(`subjects/${name}.mjs`, options, launch);
  try {
    const { probeUrl, startedAtNs } = await process.nextLine();
    const sample = () => {
      process.send();
      return process.nextLine();
    };
    return await use({ pid: process.pid, probeUrl, startedAtNs: BigInt(startedAtNs), sample });
  } finally {
    await process.stop();
  }
}

/**
 * @typedef {object} Subject
 * @property {number} pid
 * @property {string} probeUrl
 * @property {bigint} startedAtNs
 * @property {() => Promise<Sample>} sample
 *
 * @typedef {{ env?: Record<string, string>, nodeFlags?: readonly string[] }} Launch
 *
 * @typedef {{ cpuUs: number, activeMs: number, heapUsed: number, rss: number, collections: number }} Sample
 */
