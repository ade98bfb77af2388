// PostgreSQL frontend protocol 3.0: untyped messages before the session (length, then a code), after
// them typed messages (one byte, then the length including itself).
const UNTYPED_HEADER_BYTES = 8;
const TYPED_HEADER_BYTES = 5;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const PROTOCOL_3 = 196_608;
const CANCEL_REQUEST = 80_877_102;
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104];

// Sync, Query, Terminate, password, CopyData, CopyDone, CopyFail, Flush, FunctionCall: the message
// after which a server must act without waiting for more.
const ENDS_UNIT = new Set(Buffer.from('SQXpdcfHF'));
// Parse, Bind, Describe, Execute, Close: more follows.
const CONTINUES_UNIT = new Set(Buffer.from('PBDEC'));

/** What to do with bytes that a PostgreSQL client sent. */
export interface Framed {
  /** Complete units, safe to hand to the database. */
  readonly units: Buffer;
  /** How many requests for encryption are to be answered with `N`. */
  readonly refusals: number;
}

/** Splits what a PostgreSQL client sends into units that are safe to hand on whole. */
export interface UnitFramer {
  /** @throws RangeError when the bytes cannot be PostgreSQL's protocol. */
  take(chunk: Buffer): Framed;
}

function untyped(code: number, body: string): Buffer {
  const bytes = Buffer.alloc(UNTYPED_HEADER_BYTES + body.length);
  bytes.writeInt32BE(bytes.length, 0);
  bytes.writeInt32BE(code, 4);
  bytes.write(body, UNTYPED_HEADER_BYTES);
  return bytes;
}

// A database or a user that PGlite does not have is a fatal error for the one session that all share,
// so every client starts with what there is, whatever it asked for.
const STARTUP = untyped(PROTOCOL_3, 'user\0postgres\0database\0postgres\0\0');

/** Length of the complete message at the start, or undefined while bytes are missing. */
function messageLength(bytes: Buffer, started: boolean): number | undefined {
  const header = started ? TYPED_HEADER_BYTES : UNTYPED_HEADER_BYTES;
  if (bytes.length < header) return undefined;
  const length = started ? 1 + bytes.readInt32BE(1) : bytes.readInt32BE(0);
  if (length < header || length > MAX_MESSAGE_BYTES) {
    throw new RangeError(`a message of ${header} to ${MAX_MESSAGE_BYTES} bytes expected`);
  }
  return bytes.length < length ? undefined : length;
}

function endsUnit(type: number): boolean {
  if (ENDS_UNIT.has(type)) return true;
  if (CONTINUES_UNIT.has(type)) return false;
  // Fatal for the shared session, if it got there.
  throw new RangeError(`a message type of the frontend protocol expected, got ${type}`);
}

/** Creates the framer of one connection. */
export function createUnitFramer(): UnitFramer {
  let rest = Buffer.alloc(0);
  let unit: Buffer[] = [];
  let started = false;

  function takeUntyped(message: Buffer): { units: Buffer[]; refusals: number } {
    const code = message.readInt32BE(4);
    if (ENCRYPTION_REQUESTS.includes(code)) return { units: [], refusals: 1 };
    // PGlite has no process to signal, and the protocol expects no answer.
    if (code === CANCEL_REQUEST) return { units: [], refusals: 0 };
    if (code !== PROTOCOL_3) throw new RangeError(`protocol 3.0 expected, got code ${code}`);
    started = true;
    return { units: [STARTUP], refusals: 0 };
  }

  function takeTyped(message: Buffer): { units: Buffer[]; refusals: number } {
    unit.push(message);
    if (!endsUnit(message.readUInt8(0))) return { units: [], refusals: 0 };
    const units = unit;
    unit = [];
    return { units, refusals: 0 };
  }

  return {
    take(chunk) {
      rest = Buffer.concat([rest, chunk]);
      const units: Buffer[] = [];
      let refusals = 0;
      for (;;) {
        const length = messageLength(rest, started);
        if (length === undefined) return { units: Buffer.concat(units), refusals };
        const message = rest.subarray(0, length);
        rest = rest.subarray(length);
        const taken = started ? takeTyped(message) : takeUntyped(message);
        units.push(...taken.units);
        refusals += taken.refusals;
      }
    },
  };
}
