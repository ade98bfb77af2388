import { parseArgs } from 'node:util';

const NUMBERS = {
  rounds: 'rounds of fresh processes',
  duration: 'seconds of probing or idling per run',
  count: 'probes per throughput run',
  connections: 'connections of the throughput client',
  'goal-p99': 'milliseconds',
  'goal-times-better': 'peer p99 / hale p99 at 90 %/200 ms',
  'goal-throughput': 'hale / floor, probes per second',
  'goal-main-cpu': 'microseconds of the main thread per probe',
  'goal-main-garbage': 'bytes of the main thread per probe',
  'goal-import': 'milliseconds',
  'goal-first-answer': 'milliseconds',
  'goal-idle-cpu': 'per cent of a core',
  'goal-memory': 'megabytes over the floor',
};

const flags = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: 'string' }]));

/**
 * @param {readonly string[]} args
 * @returns {{ scenario: string | undefined, quick: boolean, json: string | undefined,
 *   subjects: string[] | undefined, loads: string[] | undefined, numbers: Record<string, number> }}
 */
export function parseOptions(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...flags,
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      subjects: { type: 'string' },
      loads: { type: 'string' },
    },
  });
  return {
    scenario: positionals[0],
    quick: values.quick,
    json: values.json,
    subjects: values.subjects?.split(','),
    loads: values.loads?.split(','),
    numbers: readNumbers(values),
  };
}

function readNumbers(values) {
  const given = Object.keys(NUMBERS).filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, readNumber(name, values[name])]));
}

function readNumber(name, text) {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new RangeError(`--${name} (${NUMBERS[name]}) must be a number above 0, got "${text}"`);
}
