import type { Diagnosis } from '../core/diagnosis.js';
import { type CheckItem, checksSection } from './checks-section.js';
import { drainSection } from './drain-section.js';
import { headlineSection } from './headline-section.js';
import { type Html, html } from './html.js';
import { findingsSection, instanceSection } from './instance-section.js';
import { leasesSection } from './leases-section.js';
import { probesSection } from './probes-section.js';
import { processSection } from './process-section.js';
import { stallSection } from './stall-section.js';
import { timelineSection } from './timeline-section.js';

/** A part of the page that is updated as a whole. */
export interface Section {
  readonly id: string;
  /** Absent for the headline, which is a heading itself. */
  readonly title?: string;
  readonly render: (diagnosis: Diagnosis, item: CheckItem) => Html;
  /** Whether there is anything to show. @defaultValue always */
  readonly isShown?: (diagnosis: Diagnosis) => boolean;
}

/** The page from top to bottom: what is wrong first, what is always there last. */
export const SECTIONS: readonly Section[] = [
  { id: 'headline', render: headlineSection },
  {
    id: 'drain',
    title: 'Drain',
    render: drainSection,
    isShown: ({ drain }) => drain !== undefined,
  },
  {
    id: 'blocked',
    title: 'The main loop is blocked by',
    render: stallSection,
    isShown: ({ stall }) => stall?.ongoing === true,
  },
  { id: 'probes', title: 'Probes', render: probesSection },
  { id: 'checks', title: 'Checks', render: checksSection },
  {
    id: 'leases',
    title: 'Leases',
    render: leasesSection,
    isShown: ({ leases }) => leases.length > 0,
  },
  { id: 'process', title: 'Process', render: processSection },
  {
    id: 'stall',
    title: 'The last time the main loop was blocked',
    render: stallSection,
    isShown: ({ stall }) => stall?.ongoing === false,
  },
  { id: 'timeline', title: 'Timeline', render: timelineSection },
  {
    id: 'findings',
    title: 'Findings about the environment',
    render: findingsSection,
    isShown: ({ findings }) => findings.length > 0,
  },
  { id: 'instance', title: 'This instance', render: instanceSection },
];

/** One section. A hidden one stays in the page, so that the others keep their place when it appears. */
export function renderSection(
  { id, title, render, isShown }: Section,
  diagnosis: Diagnosis,
  item: CheckItem,
): Html {
  if (isShown?.(diagnosis) === false) return html`<section id="${id}" hidden></section>`;
  if (title === undefined)
    return html`<section id="${id}" aria-label="Now">${render(diagnosis, item)}</section>`;
  const count =
    id === 'checks' &&
    diagnosis.checks.length > 0 &&
    html` <span class="count">${diagnosis.checks.length}</span>`;
  const tools = id === 'checks' && html`<div id="filter"></div>`;
  return html`<section id="${id}" aria-labelledby="title-${id}">
    <h2 id="title-${id}">${title}${count}</h2>
    ${tools}${render(diagnosis, item)}
  </section>`;
}
