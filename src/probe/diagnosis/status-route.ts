import { mediaQuality } from '../../protocol/accept.js';
import type { Prepared } from '../prepared.js';
import { type StatusSource, renderStatus } from '../status-view.js';
import type { LateDiagnosis } from './late-diagnosis.js';
import { pageOf } from './page-route.js';

/** What a request for the report asks for. */
export interface StatusRequest {
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
}

/**
 * Answers `/healthz/status`: health+json with the diagnosis in it, or the page for whoever likes HTML at least as much,
 * as browsers do. `?history=none` leaves the steps of the day out.
 */
export async function answerStatus(
  source: StatusSource,
  diagnosis: LateDiagnosis,
  { accept, query }: StatusRequest,
): Promise<Prepared> {
  const history = query.get('history') !== 'none';
  const document = await diagnosis.document({ history });
  const page =
    document !== undefined && prefersHtml(accept) ? await pageOf(document, query) : undefined;
  return page ?? renderStatus(source, document);
}

/** Whether HTML is named in the header and is as welcome as JSON; `*` alone is a program's. */
export function prefersHtml(accept = ''): boolean {
  const html = mediaQuality(accept, 'text/html');
  const json = Math.max(
    mediaQuality(accept, 'application/json'),
    mediaQuality(accept, 'application/health+json'),
  );
  return html > 0 && html >= json;
}
