/** An HTTP answer as far as a probe needs it. */
export interface HttpAnswer {
  readonly status: number;
  /** Value of the `Location` header. */
  readonly location: string | undefined;
  readonly body: string;
}

/** Reads one HTTP/1.x answer out of the bytes of a connection. */
export interface AnswerReader {
  /**
   * Takes what has arrived.
   * @returns the answer once it is whole, `undefined` before
   * @throws Error when it is no HTTP or too long.
   */
  push(text: string): HttpAnswer | undefined;
  /**
   * Takes the end of the connection.
   * @throws Error when the answer was cut short.
   */
  end(): HttpAnswer;
}

interface Head {
  readonly status: number;
  readonly location: string | undefined;
  readonly length: number | undefined;
  readonly chunked: boolean;
}

/** A probe's answer has a few hundred bytes; the verbose one of a large service a few thousand. */
const MAX_LENGTH = 1_048_576;

/** Creates a reader; texts are Latin-1, one character a byte. */
export function createAnswerReader(): AnswerReader {
  let rest = '';
  let head: Head | undefined;

  /** The end of a connection ends a body that names no length. */
  function whole(ended: boolean): HttpAnswer | undefined {
    if (head === undefined) return undefined;
    const { status, location, length, chunked } = head;
    const body = chunked ? dechunk(rest) : upTo(rest, length, ended);
    return body === undefined
      ? undefined
      : { status, location, body: Buffer.from(body, 'latin1').toString() };
  }

  return {
    push(text) {
      rest += text;
      if (rest.length > MAX_LENGTH) throw new Error('the answer is too long');
      while (head === undefined) {
        const end = rest.indexOf('\r\n\r\n');
        if (end === -1) {
          if (!'HTTP/1.'.startsWith(rest.slice(0, 7))) throw new Error('the answer is not HTTP/1');
          return undefined;
        }
        const found = readHead(rest.slice(0, end));
        rest = rest.slice(end + 4);
        // An interim answer (RFC 9110, section 15.2) comes before the one that counts.
        if (found.status >= 200) head = found;
      }
      return whole(false);
    },
    end() {
      const answer = whole(true);
      if (answer !== undefined) return answer;
      throw new Error(
        rest === '' && head === undefined
          ? 'the connection was closed without an answer'
          : 'the answer was cut short',
      );
    },
  };
}

function readHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new Error('the answer is not HTTP/1');
  const header = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const length = header('content-length');
  if (length !== undefined && !/^\d+$/.test(length)) throw new Error('the answer is not HTTP/1');
  return {
    status: Number(status),
    location: header('location'),
    length: bodyless(Number(status)) ? 0 : length === undefined ? undefined : Number(length),
    chunked: header('transfer-encoding')?.toLowerCase() === 'chunked',
  };
}

function bodyless(status: number): boolean {
  return status === 204 || status === 304;
}

function upTo(text: string, length: number | undefined, ended: boolean): string | undefined {
  if (length === undefined) return ended ? text : undefined;
  return text.length >= length ? text.slice(0, length) : undefined;
}

/** The body of a chunked answer, or `undefined` while its last chunk is missing. */
function dechunk(text: string): string | undefined {
  let body = '';
  let at = 0;
  for (;;) {
    const line = text.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    if (!(size >= 0)) throw new Error('the answer is not HTTP/1');
    if (size === 0) return body;
    if (text.length < line + 2 + size) return undefined;
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
