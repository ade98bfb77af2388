import type { LeaseView } from '../core/lease-host.js';
import type { Diagnosis } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { type Tone, facts, foreign, idOf, mark } from './pieces.js';
import { duration } from './text.js';

const TONES: Readonly<Record<LeaseView['state'], Tone>> = {
  idle: 'idle',
  acquiring: 'busy',
  held: 'pass',
  lost: 'fail',
  released: 'idle',
};

/** Every lease, with its fencing token. */
export function leasesSection({ leases }: Diagnosis): Html {
  return html`<ul class="cards">
    ${leases.map(lease)}
  </ul>`;
}

function lease(view: LeaseView): Html {
  const { name, backend, holder, impact, state, fence, remainingMs, lastLatencyMs } = view;
  return html`<li class="card" id="lease-${idOf(name)}" data-tone="${TONES[state]}">
    <h3>${foreign(name)} ${mark(TONES[state], state)}</h3>
    ${facts([
      ['Token', fence === undefined ? undefined : html`<code>${fence}</code>`],
      [
        'Work stops in',
        remainingMs === undefined ? undefined : `${duration(remainingMs)} unless renewed`,
      ],
      ['Impact', impact],
      ['Store', backend],
      ['Holder', html`<code>${holder}</code>`],
      ['Last answer took', lastLatencyMs === undefined ? undefined : duration(lastLatencyMs)],
      ['Attempts', attempts(view)],
    ])}
  </li>`;
}

function attempts({ outcomes }: LeaseView): string {
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`)
    .join(', ');
}
