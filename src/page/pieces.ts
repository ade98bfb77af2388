import type { CheckStatus } from '../core/check.js';
import type { ProbeDiagnosis, WhyStep } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { agoMs, grownDuration, timeOfDay } from './text.js';

/** How something is doing, also where it is no check. */
export type Tone = CheckStatus | 'busy' | 'idle';

const MARKS: Readonly<Record<Tone, string>> = {
  pass: '✓',
  warn: '!',
  fail: '✕',
  unknown: '?',
  busy: '…',
  idle: '·',
};

/** A status as sign, word and colour: no one of them alone. */
export function mark(tone: Tone, word: string = tone): Html {
  return html`<span class="mark" data-tone="${tone}"
    ><span aria-hidden="true">${MARKS[tone]}</span> ${word}</span
  >`;
}

/** A time of day. */
export function timeAt(iso: string, at: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${timeOfDay(iso, at)}</time>`;
}

/** A duration that goes on; the page's script lets it grow until the next one arrives. */
export function growing(ms: number): Html {
  return html`<span data-grows="${Math.round(ms)}">${grownDuration(ms)}</span>`;
}

/** `since 03:12:07 · 4 min`. */
export function since(iso: string | undefined, at: string): Html | undefined {
  return iso === undefined
    ? undefined
    : html`since ${timeAt(iso, at)} · ${growing(agoMs(iso, at))}`;
}

/** Foreign text, which must not turn the direction of what stands around it. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** A list of names and values. */
export function facts(list: readonly (readonly [string, Html | string | undefined])[]): Html {
  const shown = list.filter(([, value]) => value !== undefined && value !== '');
  if (shown.length === 0) return html``;
  const rows = shown.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return html`<dl class="facts">${rows}</dl>`;
}

/** The chains from a probe down to the errors. */
export function whyChains(
  { why, moreReasons }: Pick<ProbeDiagnosis, 'why' | 'moreReasons'>,
  at: string,
): Html {
  const more =
    moreReasons !== undefined && html`<p class="quiet">And ${moreReasons} more reasons.</p>`;
  return html`${why.map(
    (chain) =>
      html`<ol class="why">
        ${chain.map((step) => whyStep(step, at))}
      </ol>`,
  )}${more}`;
}

function whyStep({ kind, text, status, at: stepAt }: WhyStep, at: string): Html {
  const time = stepAt !== undefined && timeAt(stepAt, at);
  return html`<li data-kind="${kind}">
    <span class="kind">${kind}</span> ${time}
    <span class="text">${status !== undefined && mark(status)} ${foreign(text)}</span>
  </li>`;
}

/** A place for a chart, told in words to those who cannot see it. The page's script draws into it. */
export function chart(kind: string, of: string, words: string): Html {
  return html`<div
    class="chart"
    role="img"
    data-chart="${kind}"
    data-of="${of}"
    aria-label="${words}"
  ></div>`;
}

/** A text as the part of an `id`: each other text gives another. */
export function idOf(name: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, (character) => `_${character.charCodeAt(0).toString(36)}_`);
}
