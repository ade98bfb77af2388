import { describe, expect, it } from 'vitest';
import { createJsonLogger } from '../../src/observe/json-logger.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function recording() {
  const lines: string[] = [];
  const logger = createJsonLogger({
    clock: createManualClock(),
    write: (line) => void lines.push(line),
  });
  return { logger, lines };
}

describe('JSON logger', () => {
  it('O2: writes one object a line with level, time, name, message and fields', () => {
    const { logger, lines } = recording();
    logger.warn({ event: 'x', count: 1n, err: new Error('boom') }, 'hello\nworld');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(lines[0] ?? '')).toStrictEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      name: 'hale',
      msg: 'hello\nworld',
      event: 'x',
      count: '1',
      err: 'boom',
    });
  });

  it('a cyclic field does not cost the message', () => {
    const { logger, lines } = recording();
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    logger.error({ cyclic }, 'still here');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', msg: 'still here' });
  });
});
