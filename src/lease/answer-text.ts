import type { IncomingMessage } from 'node:http';

/** Reads an answer to its end. @throws Error when it is longer than that, or cut off */
export function readText(response: IncomingMessage, maxChars: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      refuseOver(maxChars, text.length, response);
    });
    response.on('error', reject);
    response.on('end', () => resolve(text));
  });
}

/** Reads an answer line by line; one that is longer than that ends it with an `error`. */
export function readLines(
  response: IncomingMessage,
  maxChars: number,
  onLine: (line: string) => void,
): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
    refuseOver(maxChars, rest.length, response);
  });
}

function refuseOver(maxChars: number, length: number, response: IncomingMessage): void {
  if (length > maxChars) response.destroy(new Error('the answer is too long'));
}
