import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson, twice, verdict } from '../lib/gate.mjs';
import { ROOT } from '../lib/run.mjs';

const FILE = 'observability/dashboard.json';
const COLUMNS = 24;
/** Beside the dashboard's own: what Grafana itself puts in. */
const GIVEN = ['__rate_interval', '__interval', '__range'];

/**
 * @typedef {object} Panel
 * @property {number} [id]
 * @property {string} [title]
 * @property {{ x: number, y: number, w: number, h: number }} [gridPos]
 * @property {{ refId?: string }[]} [targets]
 *
 * @typedef {{ panels: Panel[], templating?: { list?: { name: string }[] } }} Dashboard
 */

/**
 * Grafana takes the dashboard: its own types fit, and so does what they cannot say.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const dashboard = {
  name: 'dashboard has the shape of Grafana',
  async run(root) {
    const file = path.join(root, FILE);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const parsed = /** @type {Dashboard | undefined} */ (parseJson(text));
    if (!Array.isArray(parsed?.panels)) return verdict(false, 0, `${FILE} has no panels`);
    const { panels } = parsed;
    const problems = [
      ...(await typeErrors(text)),
      ...twice(panels.map(({ id }) => `panel ${id}`)),
      ...panels.flatMap(({ title, targets = [] }) =>
        twice(targets.map(({ refId }) => `query ${refId} of ${title}`)),
      ),
      ...panels.flatMap(outside),
      ...overlaps(panels),
      ...undefinedVariables(text, parsed.templating?.list ?? []),
    ];
    return verdict(problems.length === 0, panels.length, problems.join('\n'));
  },
};

/**
 * The very JSON is type-checked as a literal, since only of a literal are unknown fields an error.
 * @param {string} json
 */
async function typeErrors(json) {
  const { default: ts } = await import('typescript');
  const file = path.join(ROOT, 'tools/dashboard/dashboard-of-the-gate.ts');
  const text = `import type { HaleDashboard } from './grafana.js';\nexport const dashboard: HaleDashboard = ${json};\n`;
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, version)
      : getSourceFile.call(host, name, version, ...rest);
  const program = ts.createProgram([file], options, host);
  const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  return diagnostics.map(({ file: source, start = 0, messageText }) => {
    const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
    return `${FILE}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n  ')}`;
  });
}

/** @param {Panel} panel */
function outside({ title, gridPos }) {
  if (gridPos === undefined) return [`${title} has no place`];
  const { x, y, w, h } = gridPos;
  const inside = x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= COLUMNS;
  return inside ? [] : [`${title} is not within the ${COLUMNS} columns`];
}

/** @param {Panel[]} panels */
function overlaps(panels) {
  return panels.flatMap((one, index) =>
    panels
      .slice(index + 1)
      .filter((other) => crosses(one.gridPos, other.gridPos))
      .map((other) => `${one.title} lies over ${other.title}`),
  );
}

/** @param {Panel['gridPos']} one @param {Panel['gridPos']} other */
function crosses(one, other) {
  if (one === undefined || other === undefined) return false;
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const below = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !below;
}

/**
 * @param {string} text
 * @param {{ name: string }[]} variables
 */
function undefinedVariables(text, variables) {
  const known = new Set([...GIVEN, ...variables.map(({ name }) => name)]);
  const used = [...text.matchAll(/\$(?:\{(\w+)[^}]*\}|(\w+))/g)].map((m) => m[1] ?? m[2] ?? '');
  // The value that stands for all of a variable.
  const unknown = new Set(used.filter((name) => !known.has(name) && name !== '__all'));
  return [...unknown].map((name) => `variable ${name} is not defined`);
}
