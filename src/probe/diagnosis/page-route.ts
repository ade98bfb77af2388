import type { Diagnosis } from '../../core/diagnosis.js';
import { encodeSteps } from '../encoded.js';
import type { Steps } from '../pace.js';
import { type Prepared, response } from '../prepared.js';

/**
 * Makes the document a page for people. How is loaded at the first request for it: nobody else needs it. `refresh` has
 * a browser without JavaScript ask again by itself.
 */
export async function pageSteps(diagnosis: Diagnosis, refresh: boolean): Promise<Steps<Prepared>> {
  const { PAGE_TYPE, pageParts } = await import('../../page/page.js');
  const { headers, parts } = pageParts(diagnosis, { refresh });
  return (function* render() {
    return response(200, PAGE_TYPE, yield* encodeSteps(parts), headers);
  })();
}
