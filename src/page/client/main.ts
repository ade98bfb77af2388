import type { Diagnosis } from '../../core/diagnosis.js';
import { createAnnouncer } from './announcer.js';
import { createCharts } from './charts.js';
import { createFilter } from './filter.js';
import { createGrowth } from './growth.js';
import { createLink } from './link.js';
import { morphSections } from './morph.js';
import { listen } from './stream.js';

document.documentElement.classList.add('js');
const charts = createCharts();
const filter = createFilter();
const growth = createGrowth();
const link = createLink();
const announcer = createAnnouncer();
let last: Diagnosis | undefined;

function show(diagnosis: Diagnosis): void {
  // What another version of hale sends is for another page.
  if (last !== undefined && last.instance.haleVersion !== diagnosis.instance.haleVersion) {
    location.reload();
    return;
  }
  last = diagnosis;
  growth.restart();
  link.received();
  announcer.tell(diagnosis);
  if (!document.hidden) render(diagnosis);
}

function render(diagnosis: Diagnosis): void {
  morphSections(diagnosis);
  filter.apply(diagnosis.checks.length);
  charts.show(diagnosis);
  growth.tick();
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && last !== undefined) render(last);
});
// Of what has just been opened, the details have yet to be drawn. The event does not bubble.
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (last !== undefined && (target as Element).closest('.check') !== null) render(last);
  },
  { capture: true },
);
setInterval(() => {
  growth.tick();
  link.tick();
}, 1_000);
listen({ onDiagnosis: show, onState: (state) => link.set(state) });
