import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { keepBusy } from './busy.mjs';
import { runSubject } from './host.mjs';

/**
 * What the machine itself does to a probe: an idle `node:http` process, while another process burns the same load.
 * Nothing that runs beside a busy thread on this machine can be expected to do better.
 */
if (process.argv[3] === 'burn') {
  keepBusy(JSON.parse(process.argv[2]));
  process.on('disconnect', () => process.exit(0));
} else {
  await runSubject(start);
}

async function start(options) {
  const load = JSON.stringify({ busyShare: options.busyShare, blockMs: options.blockMs });
  // runSubject would otherwise burn in the process that answers.
  options.busyShare = 0;
  const burner = fork(fileURLToPath(import.meta.url), [load, 'burn']);
  const server = createServer((request, response) => response.end('ok'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    probeUrl: `http://127.0.0.1:${server.address().port}/livez`,
    dispose: () => burner.kill(),
  };
}
