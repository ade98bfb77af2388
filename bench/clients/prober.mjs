import { connect } from 'node:net';

/**
 * Probes one URL as a kubelet does, a new connection each time, on a fixed schedule. Latency counts from the time
 * a probe was due, so that a stalled server cannot hide the probes it held up, and a probe without an answer
 * counts with its whole timeout. Prints one JSON line at the end.
 *
 * Argument: `{ url, everyMs, warmUp, count, timeoutMs }`.
 */
const { url, everyMs, warmUp, count, timeoutMs } = JSON.parse(process.argv[2]);
const { hostname, port, pathname } = new URL(url);
const request = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nuser-agent: kube-probe/1.31\r\naccept: */*\r\nconnection: close\r\n\r\n`;
const total = warmUp + count;
const results = [];
const firstDueMs = performance.now() + everyMs;
let sent = 0;
let settled = 0;

sendDueProbes();

function sendDueProbes() {
  while (sent < total && dueAt(sent) <= performance.now()) send(sent++);
  if (sent < total) setTimeout(sendDueProbes, Math.max(0, dueAt(sent) - performance.now()));
}

function dueAt(index) {
  return firstDueMs + index * everyMs;
}

function send(index) {
  const probe = { lateMs: performance.now() - dueAt(index), answer: '', done: false };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const timer = setTimeout(() => finish('timeout'), timeoutMs);
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('data', (text) => {
    probe.answer += text;
    if (isComplete(probe.answer)) finish(probe.answer.slice(9, 12));
  });
  socket.on('end', () => finish(probe.answer.slice(9, 12) || 'empty'));
  socket.on('error', (error) => finish(error.code ?? 'error'));

  function finish(status) {
    if (probe.done) return;
    probe.done = true;
    clearTimeout(timer);
    socket.destroy();
    const answered = /^\d+$/.test(status);
    const elapsedMs = performance.now() - dueAt(index);
    settle(index, {
      ms: answered ? elapsedMs : Math.max(elapsedMs, timeoutMs),
      status,
      lateMs: probe.lateMs,
    });
  }
}

/** A kubelet, too, is done with the last byte of the body and does not wait for the connection to close. */
function isComplete(answer) {
  const bodyAt = answer.indexOf('\r\n\r\n') + 4;
  const length = /^content-length: *(\d+)/im.exec(answer)?.[1];
  return bodyAt >= 4 && length !== undefined && answer.length - bodyAt >= Number(length);
}

function settle(index, result) {
  results[index] = result;
  settled += 1;
  if (settled < total) return;
  const measured = results.slice(warmUp);
  const statuses = {};
  for (const { status } of measured) statuses[status] = (statuses[status] ?? 0) + 1;
  const round = (ms) => Math.round(ms * 1000) / 1000;
  console.log(
    JSON.stringify({
      latenciesMs: measured.map(({ ms }) => round(ms)),
      lateMs: measured.map(({ lateMs }) => round(lateMs)),
      statuses,
    }),
  );
}
