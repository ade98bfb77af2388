import { connect } from 'node:net';

/**
 * Waits for the first probe answered 200 on a port nobody listens on yet, trying again every millisecond.
 * Prints `{ answeredAtNs }` on the clock that all processes of the machine share.
 *
 * Argument: `{ url, timeoutMs }`.
 */
const { url, timeoutMs } = JSON.parse(process.argv[2]);
const { hostname, port, pathname } = new URL(url);
const request = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`;
const giveUpAt = performance.now() + timeoutMs;

console.log(JSON.stringify({ event: 'waiting' }));
attempt();

function attempt() {
  if (performance.now() > giveUpAt) throw new Error(`no answer from ${url} in ${timeoutMs} ms`);
  const socket = connect(Number(port), hostname, () => socket.write(request));
  socket.on('error', () => setTimeout(attempt, 1));
  socket.on('data', (bytes) => {
    const answeredAtNs = process.hrtime.bigint();
    socket.destroy();
    if (bytes.toString('latin1', 9, 12) !== '200') return void setTimeout(attempt, 1);
    console.log(JSON.stringify({ event: 'answered', answeredAtNs: String(answeredAtNs) }));
  });
}
