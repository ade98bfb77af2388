import { connect } from 'node:net';

/**
 * Probes as fast as answers come: `connections` kept-alive raw sockets, one request in flight on each, until
 * `count` answers. It parses no more than it must, so that on two cores the server is what limits the rate.
 * Prints one JSON line at the end.
 *
 * Argument: `{ url, connections, count }`.
 */
const { url, connections, count } = JSON.parse(process.argv[2]);
const { hostname, port, pathname } = new URL(url);
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
let asked = 0;
let answered = 0;
let failed = 0;

const answerLength = await learnAnswerLength();
const from = performance.now();
await Promise.all(Array.from({ length: connections }, run));
console.log(JSON.stringify({ answered, failed, elapsedMs: performance.now() - from }));

/** One answer in full tells how many bytes each further one has. */
function learnAnswerLength() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (part) => {
      text += part;
      const head = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (head < 4 || !(text.length >= head + length)) return;
      socket.destroy();
      resolve(head + length);
    });
  });
}

function run() {
  return new Promise((resolve, reject) => {
    let pending = 0;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, ask);
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.on('data', (bytes) => {
      if (pending === answerLength && bytes[9] !== 0x32) failed += 1;
      pending -= bytes.length;
      if (pending < 0) reject(new Error(`answers differ in length by ${-pending} bytes`));
      if (pending !== 0) return;
      answered += 1;
      ask();
    });

    function ask() {
      if (asked >= count) return void socket.destroy();
      asked += 1;
      pending = answerLength;
      socket.write(request);
    }
  });
}
