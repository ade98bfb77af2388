import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../../src/core/check.js';
import {
  type CaseId,
  type ConformanceException,
  type ConformanceRule,
  type ConformanceTarget,
  conformanceCases,
} from '../../src/testing/index.js';
import * as checks from './line-checks.js';
import { type LineServer, PASSWORD, startLineServer } from './line-server.js';

let server: LineServer;
const sockets: Socket[] = [];
beforeAll(async () => {
  server = await startLineServer();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => server.stop());

type Create = (target: ConformanceTarget) => Check & { sockets?: Socket[] };

function casesOf(create: Create, exceptions: Partial<Record<CaseId, ConformanceException>> = {}) {
  return conformanceCases({
    name: create.name,
    server: () => server,
    secrets: [PASSWORD],
    createSubject: (target) => {
      const check = create(target);
      return { check, close: () => void sockets.push(...(check.sockets ?? [])) };
    },
    exceptions,
    timeoutMs: 100,
    slackMs: 100,
    recoverWithinMs: 300,
    closeWithinMs: 150,
    runs: 30,
  });
}

const play = (create: Create, id: CaseId, exceptions = {}) =>
  casesOf(create, exceptions)
    .find((each) => each.id === id)
    ?.run();

/** A check that breaks a rule, the case that must see it, and what it must say. */
const PLANTED: readonly (readonly [Create, CaseId, ConformanceRule, RegExp])[] = [
  [checks.leaky, 'leak', 'leak', /3\d connections are open after 30 runs, allowed 1/],
  [checks.leaky, 'healthy', 'left_behind', /1 connections are open after the end/],
  [checks.leakyOnFailure, 'leak', 'leak', /connections are open after runs into a black hole/],
  [checks.leakyOnFailure, 'disposed', 'left_behind', /1 connections are open after the end/],
  [checks.polite, 'disposed', 'left_behind', /\d sockets are not destroyed after the end/],
  [checks.deaf, 'frozen', 'deadline', /had not ended 100 ms after its signal aborted/],
  [checks.deaf, 'half_open', 'deadline', /had not ended/],
  [checks.deaf, 'disposed', 'deadline', /had not ended/],
  [checks.talkative, 'wrong_password', 'secret', /told in an outcome/],
  [checks.talkative, 'stopped', 'secret', /told in an outcome/],
  [checks.gossiping, 'healthy', 'secret', /told in a log line/],
  [checks.stormy, 'cut', 'storm', /\d{3,} connections were attempted in 1\.\d s, at most 25/],
  [checks.loyal, 'stopped', 'recovery', /did not pass within 300 ms after the fault was over/],
  [checks.loyal, 'cut', 'recovery', /did not pass/],
  [checks.loyal, 'late', 'recovery', /did not pass/],
  [checks.blind, 'stopped', 'verdict', /was pass instead of fail during the fault/],
  [checks.blind, 'wrong_password', 'verdict', /was pass instead of fail/],
  [checks.ticking, 'healthy', 'left_behind', /1 timers are set after the end/],
];

describe('the conformance kit', () => {
  it.each(casesOf(checks.sound).map((each) => [each.id, each] as const))(
    'C10: lets a sound check pass: %s',
    async (_, { run }) => {
      const report = await run();
      expect(report.runs).toBeGreaterThan(0);
      expect(report.longestMs).toBeLessThan(200);
    },
  );

  it.each(PLANTED.map(([create, id, ...rest]) => [create.name, id, create, ...rest] as const))(
    'C10: sees that a check is %s, in the case %s',
    async (_, id, create, rule, detail) => {
      const failure = await play(create, id)?.catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'HALE_CONFORMANCE',
        violations: expect.arrayContaining([{ rule, detail: expect.stringMatching(detail) }]),
      });
      expect((failure as Error).message).not.toMatch(/PlantedHorseStaple|open-sesame/);
    },
  );

  it('C10: leaves the server running when a case fails while it is stopped or frozen', async () => {
    await expect(play(checks.blind, 'stopped')).rejects.toThrow('verdict');
    await expect(play(checks.blind, 'frozen')).rejects.toThrow('verdict');
    await expect(play(checks.sound, 'healthy')).resolves.toMatchObject({ runs: 1 });
    expect(server.connections()).toBe(0);
  });

  it('C10: closes its proxies when a check cannot be created', async () => {
    const broken = () => {
      throw new Error('no check');
    };
    await expect(play(broken, 'cut')).rejects.toThrow('no check');
  });

  it('C10: plays a case with the verdict that was declared for it, and says why', async () => {
    const exceptions = { stopped: { verdict: 'pass', because: 'it does not look' } } as const;
    await expect(play(checks.blind, 'stopped', exceptions)).resolves.toBeDefined();
    await expect(play(checks.sound, 'stopped', exceptions)).rejects.toThrow(
      /stopped: says pass instead of fail, because it does not look\n {2}verdict: was fail/,
    );
  });
});
