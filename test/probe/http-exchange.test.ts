import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { createExchange } from '../../src/probe/http-exchange.js';
import { createPace, oneStep } from '../../src/probe/pace.js';
import { response } from '../../src/probe/prepared.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

it('E5: a connection whose large answer waits to be sent is busy until then, so that none is closed for being idle', async () => {
  const clock = createManualClock();
  const pace = createPace(clock);
  const log: string[] = [];
  const report = response(200, 'application/json', new TextEncoder().encode('{}'));
  const exchange = createExchange({
    handler: { handle: async () => report },
    guard: undefined,
    pace,
    setBusy: (_, busy) => void log.push(busy ? 'busy' : 'idle'),
    onError: (error) => void log.push(String(error)),
  });
  // Other work has used up this turn.
  pace.run(
    oneStep(() => clock.jump(5)),
    { done() {}, failed() {} },
  );
  const sent = {
    destroyed: false,
    writeHead: () => sent,
    end: () => void log.push('sent'),
  };
  exchange(
    { rawHeaders: [], socket: {} } as unknown as IncomingMessage,
    sent as unknown as ServerResponse,
  );
  await clock.settle();
  expect(log).toEqual(['busy']);
  await clock.advance(10);
  expect(log).toEqual(['busy', 'idle', 'sent']);
});
