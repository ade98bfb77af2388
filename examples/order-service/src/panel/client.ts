/** The panel's script; runs in the browser and asks the relay once a second. */
import type { ProbeAnswer } from './probe-answer.js';

const POLL_MS = 1_000;
const HISTORY = 60;
const LOG_LINES = 8;

const relay = document.body.dataset['relay'] ?? '';
const history = new Map<string, string[]>();
let lastOrder: number | undefined;

function field(root: ParentNode, name: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-field="${name}"]`);
}

function setText(root: ParentNode, name: string, text: string): void {
  const element = field(root, name);
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function toneOf({ code, status }: ProbeAnswer): string {
  if (code === null) return 'unknown';
  if (code >= 400) return 'fail';
  return status === 'warn' ? 'warn' : 'pass';
}

function drawStrip(card: HTMLElement, tones: readonly string[]): void {
  const strip = field(card, 'strip');
  if (strip === null) return;
  while (strip.childElementCount < HISTORY) strip.append(document.createElement('i'));
  [...strip.children].forEach((cell, index) => {
    const tone = tones[index - (HISTORY - tones.length)];
    if (tone === undefined) cell.removeAttribute('data-tone');
    else cell.setAttribute('data-tone', tone);
  });
}

function show(answer: ProbeAnswer): void {
  const card = document.querySelector<HTMLElement>(`[data-probe="${answer.probe}"]`);
  if (card === null) return;
  const tone = toneOf(answer);
  const tones = [...(history.get(answer.probe) ?? []), tone].slice(-HISTORY);
  history.set(answer.probe, tones);
  card.dataset['tone'] = tone;
  setText(card, 'code', answer.code === null ? '–' : String(answer.code));
  setText(card, 'status', answer.status);
  setText(card, 'reason', answer.reason);
  setText(card, 'took', answer.code === null ? '' : `${answer.tookMs} ms`);
  drawStrip(card, tones);
}

function silence(probe: ProbeAnswer['probe']): ProbeAnswer {
  return { probe, code: null, status: 'no answer', reason: 'the process is gone', tookMs: 0 };
}

async function poll(): Promise<void> {
  try {
    const response = await fetch(`${relay}/probes`, { signal: AbortSignal.timeout(2_500) });
    ((await response.json()) as ProbeAnswer[]).forEach(show);
  } catch {
    (['startup', 'liveness', 'readiness'] as const).map(silence).forEach(show);
  }
}

async function send(method: string, path: string, body?: object): Promise<[string, unknown]> {
  const startedAt = performance.now();
  try {
    const headers = { 'content-type': 'application/json' };
    const request =
      body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(path, { ...request, signal: AbortSignal.timeout(15_000) });
    const answer: unknown = await response.json();
    const tookMs = Math.round(performance.now() - startedAt);
    return [`${method} ${path} → ${response.status} in ${tookMs} ms`, answer];
  } catch {
    return [`${method} ${path} → no answer`, undefined];
  }
}

function markPressed(button: HTMLButtonElement): void {
  for (const sibling of button.parentElement?.querySelectorAll('button') ?? []) {
    sibling.setAttribute('aria-pressed', String(sibling === button));
  }
}

async function inject(button: HTMLButtonElement): Promise<void> {
  const [line, answer] = await send('POST', button.dataset['post'] ?? '');
  const isSetting = button.dataset['post']?.includes('mode=') === true;
  if (isSetting && answer !== undefined) markPressed(button);
  setText(document, 'message', line);
}

function log(line: string): void {
  const list = field(document, 'log');
  const entry = document.createElement('li');
  entry.textContent = line;
  list?.prepend(entry);
  while (list !== null && list.childElementCount > LOG_LINES) list.lastElementChild?.remove();
}

async function order(action: string | undefined): Promise<void> {
  if (action === 'list') {
    const [line, orders] = await send('GET', '/orders');
    log(Array.isArray(orders) ? `${line}: ${orders.length} orders` : line);
  } else if (action === 'create') {
    const [line, created] = await send('POST', '/orders', { item: 'tea', quantity: 1 });
    lastOrder = (created as { id?: number } | undefined)?.id ?? lastOrder;
    log(line);
  } else if (lastOrder === undefined) {
    log('Order something first.');
  } else {
    log((await send('POST', `/orders/${lastOrder}/pay`))[0]);
  }
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  if (target.dataset['post'] !== undefined) void inject(target);
  if (target.dataset['order'] !== undefined) void order(target.dataset['order']);
});

async function pollForEver(): Promise<void> {
  for (;;) {
    await poll();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

void pollForEver();
