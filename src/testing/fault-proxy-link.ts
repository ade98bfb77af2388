import { type Socket, connect } from 'node:net';
import type { Clock, Timer } from '../core/clock.js';
import { type DelayLine, createDelayLine } from './delay-line.js';

/** What one link does with the bytes it carries. */
export type LinkBehaviour =
  | { readonly kind: 'forward'; readonly latencyMs: number; readonly resetAfterBytes: number }
  | { readonly kind: 'swallow' };

/** What a link needs; `client` must allow half-open, so that ends pass through in order. */
export interface LinkOptions {
  client: Socket;
  target: { host: string; port: number };
  clock: Clock;
  behaviour: LinkBehaviour;
  onClosed: () => void;
}

type Answer = Buffer | 'end';

const MAX_WAITING_CHUNKS = 512;
const RESET_AFTER_LAST_BYTE_MS = 20;

/**
 * Ends a socket with a TCP reset where that works: one that still connects would hold it back until it is connected, and
 * one that is just sending its end refuses it, without ever closing.
 */
function resetNow(socket: Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished;
  if (socket.connecting || isEnding) socket.destroy();
  else socket.resetAndDestroy();
}

/** One client's connection and the connection to the target that belongs to it. */
export class Link {
  readonly #client: Socket;
  readonly #upstream: Socket | undefined;
  readonly #answers: DelayLine<Answer>;
  readonly #clock: Clock;
  #behaviour: LinkBehaviour;
  #resetTimer: Timer | undefined;
  #answeredBytes = 0;
  // Bytes that were swallowed cannot be brought back: the streams no longer agree, as after a
  // partition longer than TCP's patience, so such a link ends with a reset.
  #tainted: boolean;
  #clientEnded = false;

  constructor({ client, target, clock, behaviour, onClosed }: LinkOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.#tainted = behaviour.kind === 'swallow';
    this.#answers = createDelayLine<Answer>(clock, (answer) => this.#deliver(answer));
    if (behaviour.kind === 'forward') {
      this.#answers.setDelay(behaviour.latencyMs);
      this.#upstream = connect({ ...target, allowHalfOpen: true, noDelay: true });
      this.#wireUpstream(this.#upstream);
    }
    this.#wireClient(onClosed);
  }

  /** Whether the client has closed its end; a peer that vanished never closes the other one. */
  get clientEnded(): boolean {
    return this.#clientEnded;
  }

  behave(next: LinkBehaviour): void {
    if (next.kind === 'swallow') {
      this.#tainted ||= this.#answers.length > 0;
      this.#behaviour = next;
      this.#answers.clear();
      return;
    }
    if (this.#tainted) return this.reset();
    this.#behaviour = next;
    this.#answeredBytes = 0;
    this.#answers.setDelay(next.latencyMs);
  }

  /** Ends both sides with a TCP reset. */
  reset(): void {
    this.#answers.clear();
    resetNow(this.#client);
    if (this.#upstream !== undefined) resetNow(this.#upstream);
  }

  #wireClient(onClosed: () => void): void {
    const client = this.#client;
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', (hadError) => {
      if (hadError) this.reset();
      this.#answers.clear();
      this.#resetTimer?.clear();
      this.#upstream?.destroy();
      onClosed();
    });
    client.on('data', (chunk) => this.#carry(() => this.#ask(chunk)));
    client.on('end', () => {
      this.#clientEnded = true;
      this.#carry(() => this.#upstream?.end());
    });
    client.on('drain', () => this.#regulate());
  }

  #wireUpstream(upstream: Socket): void {
    upstream.on('error', () => this.#carry(() => this.reset()));
    upstream.on('data', (chunk) => this.#carry(() => this.#answers.push(chunk)));
    upstream.on('end', () => this.#carry(() => this.#answers.push('end')));
    upstream.on('drain', () => this.#client.resume());
  }

  #carry(pass: () => void): void {
    if (this.#behaviour.kind === 'swallow') this.#tainted = true;
    else pass();
    this.#regulate();
  }

  #ask(chunk: Buffer): void {
    if (this.#upstream?.write(chunk) === false) this.#client.pause();
  }

  #deliver(answer: Answer): void {
    if (answer === 'end') {
      this.#client.end();
      return;
    }
    const limit = this.#behaviour.kind === 'forward' ? this.#behaviour.resetAfterBytes : 0;
    const left = limit - this.#answeredBytes;
    this.#answeredBytes += answer.length;
    if (answer.length < left) {
      this.#client.write(answer);
      this.#regulate();
      return;
    }
    if (left > 0) this.#client.write(answer.subarray(0, left));
    // A reset discards what is not yet written, and libuv reports one that arrives in the same
    // poll as the last bytes as an end, so it comes a little later.
    this.#resetTimer ??= this.#clock.setTimeout(() => this.reset(), RESET_AFTER_LAST_BYTE_MS);
  }

  /** Stops reading from the target while the client, or the delay, cannot keep up. */
  #regulate(): void {
    const full = this.#client.writableNeedDrain || this.#answers.length > MAX_WAITING_CHUNKS;
    if (full) this.#upstream?.pause();
    else this.#upstream?.resume();
  }
}
