import { createHealth } from '../../../src/index.js';

// A service that does what its environment says; systemd leaves nothing else to talk to it.
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const files = (): object => {
  const { FOLDER: folder } = process.env;
  if (folder === undefined) return {};
  return { files: { liveness: `${folder}/live`, readiness: `${folder}/ready` } };
};

const own = process.env['SEND'] === 'own';
const health = createHealth({
  systemd: own ? { send: (message) => void process.stderr.write(`${message}\n`) } : true,
  probes: { host: '127.0.0.1', port: 0, ...files() },
  diagnostic: false,
  isolation: process.env['ISOLATION'] === 'inline' ? 'inline' : 'thread',
  liveness: { stallAfterMs: number('STALL_AFTER_MS', 1000) },
  shutdown: { propagationDelayMs: 200, deadlineMs: 3000 },
});
const task = health.startupTask('prices');
await health.start();
setTimeout(() => task.done(), number('START_MS', 0));
setTimeout(
  () => {
    const end = performance.now() + number('BLOCK_FOR_MS', 0);
    while (performance.now() < end);
  },
  number('BLOCK_AFTER_MS', 500),
);
if (process.env['EXIT_AFTER_MS'] !== undefined)
  setTimeout(() => process.exit(3), number('EXIT_AFTER_MS', 0));
// Something to live for.
setInterval(() => {}, 60_000);
