import type { CheckDiagnosis, Diagnosis } from '../core/diagnosis.js';
import { checkItem } from './check-item.js';
import { worstFirst } from './checks-section.js';
import { headlineOf } from './headline.js';
import { type Html, escapeText, html } from './html.js';
import { SECTIONS, renderSection } from './sections.js';

/** What stands in the page as it is; trusted, since the build made it. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

export interface DocumentOptions {
  /** Has the browser load the page anew, for those without JavaScript. @defaultValue never */
  readonly refreshSeconds?: number;
}

/** The whole page in parts, each of them little work; some are empty. */
export function* documentParts(
  diagnosis: Diagnosis,
  { script, style }: PageAssets,
  { refreshSeconds }: DocumentOptions = {},
): Generator<string, undefined, undefined> {
  const refresh =
    refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh}<title>${escapeText(titleOf(diagnosis))}</title>
<link id="icon" rel="icon" href="${iconOf(diagnosis)}">
<style>${style}</style>
</head>
<body>
${headOf(diagnosis, refreshSeconds !== undefined).toString()}
<main>
`;
  yield* mainParts(diagnosis);
  yield `</main>
<footer>
<p>All times are UTC. The same as JSON: <code>curl -H 'Accept: application/json' …</code></p>
</footer>
<script>${script}</script>
</body>
</html>
`;
}

/** The title of the tab: the state, then which process it is. */
export function titleOf(diagnosis: Diagnosis): string {
  const { host, version } = diagnosis.instance;
  return `${headlineOf(diagnosis).state} – ${host}${version === undefined ? '' : ` ${version}`}`;
}

const COLOURS = {
  pass: '2e7d32',
  warn: 'e69100',
  fail: 'd32f2f',
  unknown: '78716c',
  busy: '1d6fb8',
};

/** A dot in the colour of the state, to be found among many tabs. */
export function iconOf(diagnosis: Diagnosis): string {
  const colour = COLOURS[headlineOf(diagnosis).tone];
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23${colour}'/%3E%3C/svg%3E`;
}

/**
 * Above this number the details of checks that pass, and of more that do not, are left to the script: probes wait while
 * the page is rendered, by a thread with a small heap.
 */
const MANY_CHECKS = 50;
/** Above this number also their lines are. */
const MANY_LINES = 500;
/** A tenth of a millisecond each, or two. */
const ITEMS_A_PART = 4;

function* mainParts(diagnosis: Diagnosis): Generator<string, undefined, undefined> {
  const items = new Map<CheckDiagnosis, Html>();
  const { checks, at } = diagnosis;
  let detailed = 0;
  const isDetailed = ({ verdict }: CheckDiagnosis): boolean => {
    if (checks.length <= MANY_CHECKS) return true;
    if (verdict === 'pass' || detailed >= MANY_CHECKS) return false;
    detailed += 1;
    return true;
  };
  for (const check of worstFirst(checks).slice(0, MANY_LINES)) {
    items.set(check, checkItem(check, at, isDetailed(check)));
    if (items.size % ITEMS_A_PART === 0) yield '';
  }
  for (const section of SECTIONS)
    yield `${renderSection(section, diagnosis, (check) => items.get(check)).toString()}\n`;
}

function headOf(diagnosis: Diagnosis, refreshes: boolean): Html {
  const { host, version } = diagnosis.instance;
  return html`<a class="skip" href="#checks">Skip to the checks</a>
    <header>
      <p class="who">
        <strong><bdi>${host}</bdi></strong
        >${version !== undefined && html` <bdi>${version}</bdi>`}
        <span class="quiet">process ${diagnosis.instance.pid}</span>
      </p>
      <p class="link">
        <span id="link" data-state="still"
          >Snapshot of
          <time datetime="${diagnosis.at}">${diagnosis.at.slice(11, 19)} UTC</time></span
        >
      </p>
      <p id="announce" class="hidden" role="status"></p>
    </header>
    <noscript
      ><p class="note">
        Without JavaScript this page stands still.
        ${refreshes ? html`It loads itself anew. <a href="?">Stop that</a>` : html`<a href="?">Load it again</a>, or <a href="?refresh">have it load itself</a> every ten seconds.`}
      </p></noscript
    >`;
}
