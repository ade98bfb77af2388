import type { Check, Status } from '../../core/check.js';
import type { Clock } from '../../core/clock.js';
import type { CaseId } from './case-ids.js';

/** Where a client connects to. */
export interface ConformanceAddress {
  readonly host: string;
  readonly port: number;
}

/** The server that the kit starts, stops and freezes; it must run when a case begins. */
export interface ConformanceServer {
  /** Where clients connect to; several for a cluster, the first being the one to begin with. */
  readonly addresses: readonly ConformanceAddress[];
  /** Ends the server as a crash does; the addresses stay its own. */
  stop(): unknown;
  /** Starts it again at the same addresses; resolves once it answers. */
  start(): unknown;
  /** Stops all its processes with SIGSTOP: sockets stay open, nothing answers. */
  freeze(): unknown;
  /** Lets a frozen server go on. */
  thaw(): unknown;
  /** Connections of clients that the server holds now; undefined when the system does not tell. */
  connections?(): number | undefined | Promise<number | undefined>;
}

/** What a check under test is created for. */
export interface ConformanceTarget extends ConformanceAddress {
  /** One for each address of the server. */
  readonly addresses: readonly ConformanceAddress[];
  /** Where to connect to for an address that the server itself told, such as a node of a cluster. */
  at(address: ConformanceAddress): ConformanceAddress;
  /** The right password, or a planted wrong one in the case that is about it. */
  password(right: string): string;
}

/** A check under test with the client it uses. */
export interface ConformanceSubject {
  readonly check: Check;
  /** Closes the client, after the check was disposed. */
  close?(): unknown;
}

/** A case that goes differently for one check, with the reason, as data. */
export interface ConformanceException {
  /** Why; shown in the title of the case. */
  readonly because: string;
  /** The verdict to expect instead of `fail`. Without one the case does not apply and is left out. */
  readonly verdict?: Status;
}

/** Options of `conformanceCases`. Durations in milliseconds. */
export interface ConformanceOptions {
  /** Of the check, for titles and texts. */
  readonly name: string;
  /** A function where the server is started after the cases were made. */
  readonly server: ConformanceServer | (() => ConformanceServer);
  /** Creates the check with a client of its own; called once in each case. */
  createSubject(
    target: ConformanceTarget,
  ): Check | ConformanceSubject | Promise<Check | ConformanceSubject>;
  /** Cases that do not apply or have another verdict. @defaultValue none */
  readonly exceptions?: Readonly<Partial<Record<CaseId, ConformanceException>>>;
  /** Texts that must never be in an outcome or a log line; a function where they are known later. */
  readonly secrets?: readonly string[] | (() => readonly string[]);
  /** After this the signal of a run aborts. @defaultValue 300 */
  readonly timeoutMs?: number;
  /** A run must have settled this long after its signal aborted. @defaultValue 200 */
  readonly slackMs?: number;
  /** For how long a check that reads its client's state may still pass after a fault. @defaultValue 0 */
  readonly noticeWithinMs?: number;
  /** A run must pass this long after the server is well again. @defaultValue 5000 */
  readonly recoverWithinMs?: number;
  /** What a check or its client closes must be gone this long after. @defaultValue 3000 */
  readonly closeWithinMs?: number;
  /** Runs of the case that looks for leaks. @defaultValue 1000 */
  readonly runs?: number;
  /** Connections that the check and its client may hold between runs. @defaultValue 1 */
  readonly heldConnections?: number;
  /** Attempts to connect in a second of failure; a run every 100 ms is included. @defaultValue 25 */
  readonly maxAttemptsPerSecond?: number;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
}

/** What a case saw, for those who want to look. */
export interface ConformanceReport {
  readonly runs: number;
  /** The longest run. */
  readonly longestMs: number;
  /** Connections that were attempted through the proxy. */
  readonly attempts: number;
  /** The distinct texts of outcomes that did not pass. */
  readonly outputs: readonly string[];
}

/** One case, for the test function of any framework: `it(each.title, each.run)`. */
export interface ConformanceCase {
  readonly id: CaseId;
  readonly title: string;
  /**
   * @throws ConformanceError (`HALE_CONFORMANCE`) as a rejection, naming each violated rule and what was seen
   */
  run(): Promise<ConformanceReport>;
}
