import type { Clock } from '../../core/clock.js';
import { errorText } from '../../core/error-text.js';
import { isoTime } from '../../core/iso-time.js';
import { silentLogger } from '../../core/logger.js';
import { plainText } from '../../core/plain-text.js';
import { createRedactor } from '../../core/redact.js';
import { type Fleet, createFleet } from '../../fleet.js';
import { leaseStoreFromUrl } from '../../lease/url/index.js';
import { createPaint } from '../status/paint.js';
import type { Terminal } from '../terminal.js';
import { FLEET_USAGE, type FleetCall, parseFleetArguments } from './arguments.js';
import { eventDocument, fleetDocument } from './document.js';
import { serveFleetPage } from './page-server.js';
import { renderFleet } from './render.js';
import { eventWords } from './words.js';

/** 0 all are up, 1 one is not, or too few are up, 2 not understood, or the registry does not answer. */
export type FleetExit = 0 | 1 | 2;

const EVERY_MS = 1000;
const HOME = '\u001B[H\u001B[J';
/** The first look of a fleet judges within this. */
const FIRST_JUDGEMENT_MS = 150;

/** Runs `hale fleet`. */
export async function fleetCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  terminal: Terminal,
): Promise<FleetExit> {
  const parsed = parseFleetArguments(args, env);
  if (parsed.kind === 'help') {
    terminal.write(FLEET_USAGE);
    return 0;
  }
  if (parsed.kind === 'usage') {
    terminal.writeError(`hale fleet: ${plainText(parsed.problem)}\n${FLEET_USAGE}`);
    return 2;
  }
  const { call } = parsed;
  try {
    const store = await leaseStoreFromUrl(call.url);
    const fleet = createFleet({ store, prefix: call.prefix, clock, logger: silentLogger });
    try {
      const colours = terminal.isTerminal && (env['NO_COLOR'] ?? '') === '';
      return await new FleetRun(call, fleet, clock, terminal, colours).run();
    } finally {
      await fleet.close();
      store.close?.();
    }
  } catch (error) {
    terminal.writeError(`hale fleet: ${safe(error)}\n`);
    return 2;
  }
}

/** The text of an error of a driver may repeat the URL. */
function safe(error: unknown): string {
  return plainText(createRedactor()(errorText(error)));
}

class FleetRun {
  readonly #call: FleetCall;
  readonly #fleet: Fleet;
  readonly #clock: Clock;
  readonly #terminal: Terminal;
  readonly #colours: boolean;
  #lastError = '';

  constructor(
    ...[call, fleet, clock, terminal, colours]: [FleetCall, Fleet, Clock, Terminal, boolean]
  ) {
    this.#call = call;
    this.#fleet = fleet;
    this.#clock = clock;
    this.#terminal = terminal;
    this.#colours = colours;
  }

  async run(): Promise<FleetExit> {
    const { watch, page } = this.#call;
    this.#fleet.watch((event) => {
      if (event.kind === 'registry_lost') this.#lastError = safe(event.error);
      // Whoever draws, or prints each event, has no place for a word in between, or has it already.
      if (event.kind === 'foreign' && !watch)
        this.#terminal.writeError(`hale fleet: no lease of hale: ${plainText(event.key)}\n`);
    });
    if (watch && !this.#draws) this.#tellEvents();
    await this.#firstAnswer();
    if (page !== undefined) return this.#serve(page);
    if (watch) await this.#draw();
    else this.#terminal.write(this.#picture());
    return this.#exit();
  }

  get #draws(): boolean {
    return this.#terminal.isTerminal && !this.#call.json;
  }

  /** @throws Error when there is none in time. */
  async #firstAnswer(): Promise<void> {
    const { timeoutMs } = this.#call;
    const abort = new AbortController();
    const timer = this.#clock.setTimeout(() => abort.abort(), timeoutMs);
    try {
      await Promise.race([this.#fleet.synced(abort.signal), this.#stopped(abort)]);
    } catch {
      const why = this.#lastError === '' ? '' : `: ${this.#lastError}`;
      throw new Error(`no answer of the registry within ${timeoutMs} ms${why}`);
    } finally {
      timer.clear();
    }
    await this.#pause(FIRST_JUDGEMENT_MS);
  }

  /** A command that goes on can be ended while it waits. */
  async #stopped(abort: AbortController): Promise<void> {
    if (!this.#call.watch && this.#call.page === undefined) return new Promise(() => {});
    await this.#terminal.interrupted;
    abort.abort();
  }

  #tellEvents(): void {
    const { json } = this.#call;
    this.#fleet.watch((event) => {
      const at = isoTime(this.#clock.wallNow());
      const line = json ? eventDocument(event, at) : `${at}  ${plainText(eventWords(event))}`;
      this.#terminal.write(`${line}\n`);
    });
  }

  async #draw(): Promise<void> {
    let ended = false;
    void this.#terminal.interrupted.then(() => (ended = true));
    while (!ended) {
      if (this.#draws) this.#terminal.write(`${HOME}${this.#picture()}`);
      await Promise.race([this.#pause(EVERY_MS), this.#terminal.interrupted]);
    }
  }

  async #serve(port: number): Promise<FleetExit> {
    const page = await serveFleetPage(this.#fleet, port, this.#clock);
    try {
      this.#terminal.write(`${page.address}\n`);
      if (this.#call.watch) await this.#draw();
      else await this.#interrupted();
      return this.#exit();
    } finally {
      await page.close();
    }
  }

  /** The server alone keeps the process alive. */
  #interrupted(): Promise<void> {
    return this.#terminal.interrupted;
  }

  #picture(): string {
    const view = this.#fleet.view();
    const list = this.#fleet.list();
    if (this.#call.json) return `${fleetDocument(view, list)}\n`;
    const { columns } = this.#terminal;
    const rows = this.#call.watch ? 40 : list.length;
    const width = Math.max(40, columns ?? 120);
    return renderFleet(view, list, { paint: createPaint(this.#colours), width, rows });
  }

  #exit(): FleetExit {
    const { counts, total, registry } = this.#fleet.view();
    if (registry === 'lost' || registry === 'connecting') return 2;
    return counts.up === total && counts.up >= this.#call.expect ? 0 : 1;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.setTimeout(resolve, ms, { keepsProcessAlive: true });
    });
  }
}
