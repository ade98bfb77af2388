import type { Diagnosis } from '../../core/diagnosis.js';
import { iconOf, titleOf } from '../document.js';
import { headlineOf } from '../headline.js';
import { reasonText } from '../reason-text.js';

/** Tells of a changed state where nobody looks: in the title, in the icon, and to screen readers. */
export interface Announcer {
  tell(diagnosis: Diagnosis): void;
}

/** Creates it; the first state is on the page already and is not announced. */
export function createAnnouncer(): Announcer {
  let told: string | undefined;
  return {
    tell(diagnosis) {
      const { state, probe } = headlineOf(diagnosis);
      const reason = probe === undefined ? '' : `: ${reasonText(diagnosis.probes[probe].reason)}`;
      const text = `${state}${reason}`;
      document.title = titleOf(diagnosis);
      document.getElementById('icon')?.setAttribute('href', iconOf(diagnosis));
      const element = document.getElementById('announce');
      if (told !== undefined && told !== text && element !== null) element.textContent = text;
      told = text;
    },
  };
}
