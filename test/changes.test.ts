import { channel } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type ChangeMessage, type Health, type HealthChange, createHealth } from '../src/index.js';
import { silentLogger } from '../src/core/logger.js';
import { createManualClock } from '../src/testing/manual-clock.js';

let health: Health;
afterEach(() => health.dispose());

async function start() {
  const clock = createManualClock();
  health = createHealth({
    ...{ clock, logger: silentLogger, isolation: 'inline', signals: false, env: {} },
    probes: { host: '127.0.0.1', port: 0 },
    diagnostic: false,
  });
  await health.start();
  await clock.advance(1000);
  return clock;
}

function reasonOf(change: HealthChange | undefined): string | undefined {
  return change?.kind === 'readiness' ? change.to.reason : undefined;
}

describe('changes', () => {
  it('O4: are read with for await, until the signal aborts', async () => {
    await start();
    const controller = new AbortController();
    const seen: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const change of health.changes({ signal: controller.signal }))
        seen.push(reasonOf(change));
    })();
    health.maintenance(true);
    await Promise.resolve();
    health.maintenance(false);
    await new Promise(setImmediate);
    controller.abort();
    await reading;
    expect(seen).toStrictEqual(['maintenance', 'ok']);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('O4: a stream whose signal has aborted already is at its end', async () => {
    await start();
    const stream = health.changes({ signal: AbortSignal.abort() });
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
  });

  it('O4: dispose() ends every stream', async () => {
    await start();
    const waiting = health.changes().next();
    await health.dispose();
    expect(await waiting).toStrictEqual({ done: true, value: undefined });
  });

  it('O4: a stream that is asked for after dispose() is at its end', async () => {
    await start();
    await health.dispose();
    expect(await health.changes().next()).toStrictEqual({ done: true, value: undefined });
  });

  it('O4: a listener that registers itself again hears the next change, not the same for ever', async () => {
    await start();
    let heard = 0;
    let stop = (): void => {};
    const listen = (): void => {
      heard += 1;
      // Ends the test rather than the machine.
      if (heard > 100) throw new Error('called for ever');
      stop();
      stop = health.onChange(listen);
    };
    stop = health.onChange(listen);
    health.maintenance(true);
    expect(heard).toBe(1);
    health.maintenance(false);
    expect(heard).toBe(2);
  });

  it('O4: a signal that is none is refused, and nothing is left behind', async () => {
    await start();
    const options = { signal: 5 } as unknown as Parameters<Health['changes']>[0];
    expect(() => health.changes(options)).toThrow('changes.signal');
    await expect(health.dispose()).resolves.toBeUndefined();
  });

  it('O4: a reader that is busy misses the oldest beyond the limit', async () => {
    await start();
    const stream = health.changes({ limit: 1 });
    for (const on of [true, false, true]) {
      health.maintenance(on);
      await Promise.resolve();
    }
    expect(stream.missed).toBe(2);
    const { value } = await stream.next();
    expect(reasonOf(value as HealthChange)).toBe('maintenance');
  });

  it('O4: the limit is checked', async () => {
    await start();
    expect(() => health.changes({ limit: 0 })).toThrow(
      'changes.limit must be a whole number from 1 to 1000000',
    );
  });

  it('O4: node:diagnostics_channel is told, with the health it came from', async () => {
    await start();
    const messages: ChangeMessage[] = [];
    const listen = (message: unknown): void => void messages.push(message as ChangeMessage);
    const changes = channel('hale:change');
    changes.subscribe(listen);
    health.maintenance(true);
    await Promise.resolve();
    changes.unsubscribe(listen);
    health.maintenance(false);
    await Promise.resolve();
    expect(messages).toHaveLength(1);
    expect(messages[0]?.health).toBe(health);
    expect(reasonOf(messages[0]?.change)).toBe('maintenance');
  });
});
