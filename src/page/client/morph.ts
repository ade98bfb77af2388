import { Idiomorph } from 'idiomorph';
import type { CheckDiagnosis, Diagnosis } from '../../core/diagnosis.js';
import { checkItem } from '../check-item.js';
import type { Html } from '../html.js';
import { idOf } from '../pieces.js';
import { SECTIONS, renderSection } from '../sections.js';

/** What each check looked like when it was drawn last, but for durations that go on. */
const drawn = new Map<string, string>();

/** The details that nobody sees are not there: they are most of the page. */
function isOpen({ name }: CheckDiagnosis): boolean {
  const details = document.getElementById(`details-${idOf(name)}`);
  return details instanceof HTMLDetailsElement && details.open;
}

/** Brings the page up to date and leaves alone what the reader does: focus, scroll position, what is open or filtered. */
export function morphSections(diagnosis: Diagnosis): void {
  const item = (check: CheckDiagnosis): Html => checkItem(check, diagnosis.at, isOpen(check));
  for (const section of SECTIONS) {
    const old = document.getElementById(section.id);
    if (old === null) continue;
    void Idiomorph.morph(old, renderSection(section, diagnosis, item).toString(), {
      morphStyle: 'outerHTML',
      callbacks: { beforeNodeMorphed: mayMorph, beforeAttributeUpdated: mayUpdate },
    });
  }
}

function mayMorph(old: Node, next: Node): boolean {
  if (!(old instanceof HTMLElement) || !(next instanceof HTMLElement)) return true;
  if (old.id === 'filter') return false;
  // The script has drawn into it; what it is about is told by its attributes.
  if (old.matches('.chart')) {
    copyAttributes(old, next);
    return false;
  }
  return !old.matches('li.check') || old.id !== next.id || !isUnchanged(old, next);
}

/** Most checks look as they did a second ago; comparing texts is cheaper than comparing trees. */
function isUnchanged(old: HTMLElement, next: HTMLElement): boolean {
  const look = next.outerHTML.replace(/ data-grows="\d+">[^<]*/g, '>');
  if (drawn.get(old.id) !== look) {
    drawn.set(old.id, look);
    return false;
  }
  const growing = next.querySelectorAll<HTMLElement>('[data-grows]');
  for (const [index, element] of old.querySelectorAll<HTMLElement>('[data-grows]').entries()) {
    element.dataset['grows'] = growing[index]?.dataset['grows'] ?? '0';
  }
  return true;
}

function copyAttributes(old: HTMLElement, next: HTMLElement): void {
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function mayUpdate(name: string, element: Element): boolean {
  if (name === 'open') return !element.matches('details');
  return name !== 'hidden' || !element.matches('li.check, .group');
}
