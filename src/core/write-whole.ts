const ATTEMPTS = 5;

/**
 * Writes a text through a synchronous `write` that may take less than it is given, and never throws: a full pipe may
 * drain, a closed one will not, and a lost log line must stop neither probes nor a drain.
 */
export function writeWhole(write: (bytes: Uint8Array) => number, text: string): void {
  let rest = new TextEncoder().encode(text);
  for (let attempt = 0; attempt < ATTEMPTS && rest.length > 0; attempt += 1) {
    try {
      rest = rest.subarray(write(rest));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') return;
    }
  }
}
