import { mediaQuality } from '../../protocol/accept.js';
import type { Pace } from '../pace.js';
import type { Prepared } from '../prepared.js';
import { type StatusSource, statusSteps } from '../status-view.js';
import type { LateDiagnosis } from './late-diagnosis.js';
import { pageSteps } from './page-route.js';

/** What a request for the report asks for. */
export interface StatusRequest {
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
}

/** What reports are made of, and at what pace. */
export interface StatusAnswersOptions {
  readonly source: StatusSource;
  readonly diagnosis: Pick<LateDiagnosis, 'document'>;
  readonly pace: Pace;
}

/**
 * Answers `/healthz/status`: health+json with the diagnosis in it, or the page for whoever likes HTML at least as much,
 * as browsers do. `?history=none` leaves the steps of the day out. Who asks for the same while it is being made gets the
 * same: the heap is too small for as many reports as may be asked for.
 */
export function createStatusAnswers(
  options: StatusAnswersOptions,
): (asked: StatusRequest) => Promise<Prepared> {
  const making = new Map<string, Promise<Prepared>>();
  return ({ accept, query }) => {
    const history = query.get('history') !== 'none';
    const html = prefersHtml(accept);
    const refresh = query.has('refresh');
    const key = [history, html, refresh].join();
    const known = making.get(key);
    if (known !== undefined) return known;
    const made = makeAnswer(options, { history, html, refresh }).finally(() => making.delete(key));
    making.set(key, made);
    return made;
  };
}

interface Wanted {
  readonly history: boolean;
  readonly html: boolean;
  readonly refresh: boolean;
}

async function makeAnswer(
  { source, diagnosis, pace }: StatusAnswersOptions,
  { history, html, refresh }: Wanted,
): Promise<Prepared> {
  const document = await diagnosis.document({ history });
  const steps =
    document !== undefined && html
      ? await pageSteps(document, refresh)
      : statusSteps(source, document);
  return pace.finish(steps);
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
