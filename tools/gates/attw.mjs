import { parseJson, verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

/**
 * @typedef {object} Report
 * @property {{ entrypoints?: Record<string, unknown> }} [analysis]
 * @property {Record<string, { kind: string, entrypoint?: string }[]>} [problems]
 */

/** @type {import('../lib/gate.mjs').Gate} */
export const attw = {
  name: 'published types (attw, esm-only)',
  async run(root) {
    const args = ['--pack', '.', '--profile', 'esm-only', '--format', 'json'];
    const result = await run(bin('attw'), args, { cwd: root });
    const report = /** @type {Report | undefined} */ (parseJson(result.stdout));
    const entries = Object.keys(report?.analysis?.entrypoints ?? {});
    const text = report?.problems ? JSON.stringify(report.problems, null, 2) : result.output;
    return verdict(result.code === 0, entries.length, text);
  },
};
