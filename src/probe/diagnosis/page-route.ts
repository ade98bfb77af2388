import type { Diagnosis } from '../../core/diagnosis.js';
import { type Prepared, response } from '../prepared.js';

/**
 * The document as a page for people. It is loaded at the first request for it: nobody else needs it. `refresh` has a
 * browser without JavaScript ask again by itself.
 */
export async function pageOf(diagnosis: Diagnosis, refresh: boolean): Promise<Prepared> {
  const { PAGE_TYPE, renderPage } = await import('../../page/page.js');
  const { body, headers } = renderPage(diagnosis, { refresh });
  return response(200, PAGE_TYPE, body, headers);
}
