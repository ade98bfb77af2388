import type { Diagnosis } from '../../core/diagnosis.js';

/** How the page is joined to the service. */
export type LinkState = 'connecting' | 'live' | 'reconnecting';

export interface StreamHandlers {
  readonly onDiagnosis: (diagnosis: Diagnosis) => void;
  readonly onState: (state: LinkState) => void;
}

// Beside the page, also where a proxy serves it below a path of its own.
const EVENTS = 'status/events';
const RETRY_MS = 2_000;
/** A step of the history. */
const HISTORY_MS = 300_000;

type History = Diagnosis['checks'][number]['history'];

/**
 * Listens for reports and connects again for as long as the page is open. The history of a day is most of a report and
 * changes every few minutes: it is asked for once in a while, and the reports come without it.
 */
export function listen({ onDiagnosis, onState }: StreamHandlers): void {
  let histories: ReadonlyMap<string, History> | undefined;
  const once = (): void => {
    const source = new EventSource(EVENTS);
    source.addEventListener('diagnosis', ({ data }: MessageEvent<string>) => {
      const diagnosis = JSON.parse(data) as Diagnosis;
      histories = new Map(diagnosis.checks.map(({ name, history }) => [name, history]));
      source.close();
    });
    source.addEventListener('error', () => {
      source.close();
      histories ??= new Map();
    });
  };
  once();
  setInterval(once, HISTORY_MS);
  follow({
    onState,
    onDiagnosis(diagnosis) {
      const known = histories;
      // Until it is there, the page keeps the one it was delivered with.
      if (known === undefined) return;
      const checks = diagnosis.checks.map((check) => ({
        ...check,
        history: known.get(check.name) ?? [],
      }));
      onDiagnosis({ ...diagnosis, checks });
    },
  });
}

function follow({ onDiagnosis, onState }: StreamHandlers): void {
  const source = new EventSource(`${EVENTS}?history=none`);
  source.addEventListener('open', () => onState('live'));
  source.addEventListener('diagnosis', ({ data }: MessageEvent<string>) => {
    onDiagnosis(JSON.parse(data) as Diagnosis);
  });
  source.addEventListener('error', () => {
    onState('reconnecting');
    // The browser gives up for good when the answer is no stream, as from a proxy whose service is away.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => follow({ onDiagnosis, onState }), RETRY_MS);
  });
}
