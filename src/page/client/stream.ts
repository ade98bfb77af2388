import type { Diagnosis } from '../../core/diagnosis.js';

/** How the page is joined to the service. */
export type LinkState = 'connecting' | 'live' | 'reconnecting';

export interface StreamHandlers {
  readonly onDiagnosis: (diagnosis: Diagnosis) => void;
  readonly onState: (state: LinkState) => void;
}

const RETRY_MS = 2_000;

/** Listens for reports and connects again for as long as the page is open. */
export function listen(url: string, { onDiagnosis, onState }: StreamHandlers): void {
  const source = new EventSource(url);
  source.addEventListener('open', () => onState('live'));
  source.addEventListener('diagnosis', ({ data }: MessageEvent<string>) => {
    onDiagnosis(JSON.parse(data) as Diagnosis);
  });
  source.addEventListener('error', () => {
    onState('reconnecting');
    // The browser gives up for good when the answer is no stream, as from a proxy whose service is away.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(url, { onDiagnosis, onState }), RETRY_MS);
  });
}
