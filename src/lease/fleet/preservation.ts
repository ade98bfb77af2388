import type { MassLoss } from './fleet-view.js';

/** When a loss is too big to be true. */
export interface PreserveRules {
  /** Losing more than this share at once holds back `down`. */
  readonly share: number;
  /** What is "at once". */
  readonly withinMs: number;
  /** A loss that lasts this long is taken for real. */
  readonly holdMs: number;
}

/** What one look has counted. */
export interface LossCount {
  /** Late, silent or gone, but not declared down. */
  readonly vanishing: number;
  /** Not declared down. */
  readonly standing: number;
  /** Whether one of them is about to be declared down, or to have left. */
  readonly due: boolean;
}

export type LossChange =
  | ({ readonly kind: 'mass_loss' } & MassLoss)
  | { readonly kind: 'mass_loss_over'; readonly confirmed: boolean };

/** Holds back what would be declared down while too many vanish at once. */
export class Preservation {
  readonly #rules: PreserveRules;
  /** Times at which an instance was declared down, or left, oldest first. */
  readonly #recent: number[] = [];
  #since: number | undefined;
  #confirmed = false;
  /** Until then a loss is taken for real. */
  #openUntil = -Infinity;
  loss: MassLoss | undefined;

  constructor(rules: PreserveRules) {
    this.#rules = rules;
  }

  get active(): boolean {
    return this.loss !== undefined;
  }

  /** Notes that one was declared down, or has left without a word. */
  note(now: number): void {
    this.#recent.push(now);
  }

  /** Takes the present loss for real at the next look. */
  confirm(): void {
    this.#confirmed = this.active;
  }

  /** To be called before anybody is declared down; returns what has changed. */
  look({ vanishing, standing, due }: LossCount, now: number): LossChange | undefined {
    const { share, withinMs, holdMs } = this.#rules;
    while (this.#recent[0] !== undefined && this.#recent[0] <= now - withinMs) this.#recent.shift();
    const vanished = vanishing + this.#recent.length;
    const total = standing + this.#recent.length;
    // One alone is never too many, however small the fleet.
    const tooMany = vanished > 1 && vanished > share * total;
    if (this.#since === undefined) {
      if (!tooMany || !due || now < this.#openUntil) return undefined;
      this.#since = now;
      this.loss = { vanished, total };
      return { kind: 'mass_loss', vanished, total };
    }
    this.loss = { vanished, total };
    const confirmed = this.#confirmed || now - this.#since >= holdMs;
    return confirmed || !tooMany ? this.#end(tooMany && confirmed, now) : undefined;
  }

  #end(confirmed: boolean, now: number): LossChange {
    this.#since = undefined;
    this.#confirmed = false;
    this.loss = undefined;
    if (confirmed) this.#openUntil = now + this.#rules.withinMs;
    return { kind: 'mass_loss_over', confirmed };
  }
}
