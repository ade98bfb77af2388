/** Characters that are encoded at a time. */
const PIECE = 65_536;
/** A step makes at least as many: a step may cost a turn of the thread on a busy machine, so there must not be many. */
const STEP = 8192;

const utf8 = new TextEncoder();

/**
 * Encodes a text that comes in parts, in steps of some kilobytes. The bytes are outside the heap, which is small on the probe
 * thread, and any number of readers can be sent the same.
 */
export function* encodeSteps(parts: Iterable<string>): Generator<undefined, Uint8Array, undefined> {
  const pieces: Uint8Array[] = [];
  let text = '';
  let made = 0;
  for (const part of parts) {
    text += part;
    made += part.length;
    if (text.length >= PIECE) {
      pieces.push(utf8.encode(text));
      text = '';
    }
    // An empty part is work without a text, such as a part of the page that is put together later.
    if (made < STEP && part !== '') continue;
    made = 0;
    yield;
  }
  pieces.push(utf8.encode(text));
  return joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
