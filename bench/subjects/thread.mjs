import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { runSubject } from './host.mjs';

/**
 * The least that any answer from a thread of its own costs: a worker with bare `node:http`, and on both threads one
 * timer as often as hale's beat and the look at it.
 */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"status":"pass"}');
});
server.listen(workerData, '127.0.0.1', () => parentPort.postMessage(server.address().port));
setInterval(() => {}, 500);
`;

await runSubject(async ({ port }) => {
  const worker = new Worker(CODE, { eval: true, execArgv: [], env: {}, workerData: port });
  const [bound] = await once(worker, 'message');
  setInterval(() => {}, 500);
  return {
    probeUrl: `http://127.0.0.1:${bound}/livez`,
    dispose: () => worker.terminate(),
  };
});
