import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../contract/framework-kit.js';
import { type Program, eventually, startProgram } from '../support/program.js';

const MAIN = fileURLToPath(new URL('../../examples/nest-service/dist/main.js', import.meta.url));
const KEY = { headers: { 'x-key': 'tea' } };

let program: Program | undefined;
afterEach(() => program?.stop());

async function start() {
  const started = startProgram(MAIN, {
    env: {
      PORT: '0',
      HALE_PORT: '0',
      HALE_DIAGNOSTIC_PORT: '0',
      HALE_PROPAGATION_DELAY_MS: '100',
    },
  });
  program = started;
  let output = '';
  started.child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const line = await eventually(
    'announcement',
    () => /app http:\S+:(\d+) probes http:\S+:(\d+)/.exec(output) ?? undefined,
    20_000,
    () => output + started.stderr(),
  );
  return { program: started, app: Number(line[1]), probes: Number(line[2]) };
}

async function says(port: number, expected: string): Promise<true | undefined> {
  const { status, text } = await ask(port, '/readyz');
  return `${status} ${text}` === expected ? true : undefined;
}

describe('the example for Nest', () => {
  it('E5, C1, D1, D6: is probed on both ports, checks, drains on SIGTERM and ends with 0', async () => {
    const { program: service, app, probes } = await start();
    for (const port of [app, probes])
      await eventually('200', () => says(port, '200 {"status":"pass","reason":"ok"}'));
    const metrics = await ask(probes, '/metrics');
    for (const check of ['heap', 'orders']) expect(metrics.text).toContain(`check="${check}"`);
    expect((await ask(app, '/shop/orders')).status).toBe(403);
    expect(JSON.parse((await ask(app, '/shop/orders', KEY)).text)).toEqual([{ item: 'tea' }]);
    const report = ask(app, '/shop/report', KEY);
    await eventually('request in flight', async () =>
      (await ask(probes, '/metrics')).text.includes('\nhale_requests_in_flight 1\n')
        ? true
        : undefined,
    );
    service.child.kill('SIGTERM');
    await eventually('draining', () => says(app, '503 {"status":"fail","reason":"draining"}'));
    expect((await report).text).toBe('{"sold":1}');
    expect(await service.exit()).toBe(0);
    expect(service.logs().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
