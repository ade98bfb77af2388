import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/core/diagnosis.js';
import { headlineOf } from '../../src/page/headline.js';
import { STATES, hostile } from './diagnoses.js';
import { renderPage } from './rendered.js';
import { check, diagnosis, failing } from './report-parts.js';

function body(report: Diagnosis): string {
  return renderPage(report).body;
}

/** The part of a page that tells of a report. */
function mainOf(report: Diagnosis): string {
  return /<main>([\s\S]*)<\/main>/.exec(body(report))?.[1] ?? '';
}

/** What people read of it. */
function textOf(report: Diagnosis): string {
  return mainOf(report)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('E4: a page of very many checks', () => {
  it('has the details of the fifty worst, so that it stays small', () => {
    const failed = Array.from({ length: 300 }, (_, index) => failing(`check ${index}`));
    const report = diagnosis({ checks: [check('fine'), ...failed] });
    const page = mainOf(report);
    expect(page.match(/<div class="details">/g)).toHaveLength(50);
    expect(page.match(/<li id="check-/g)).toHaveLength(301);
    const few = mainOf(diagnosis({ checks: failed.slice(0, 50) }));
    expect(few.match(/<div class="details">/g)).toHaveLength(50);
  });
});

describe('E4: the headline', () => {
  it.each([
    ['ready', 'pass', 'Ready', ''],
    ['noChecks', 'pass', 'Ready', ''],
    ['starting', 'busy', 'Starting', 'the start is not finished'],
    [
      'databaseDown',
      'fail',
      'Not ready',
      '“database” fails: check_timeout: no answer from 10.0.4.17:5432 within 1000 ms',
    ],
    [
      'degraded',
      'warn',
      'Ready, but degraded',
      '“cache” is in trouble: connect ECONNREFUSED 10.0.4.20:6379',
    ],
    [
      'blocked',
      'fail',
      'Main loop blocked',
      'for 12 s, in renderReport (/app/src/report.js:118:9)',
    ],
    ['draining', 'busy', 'Draining', 'SIGTERM'],
    ['stopped', 'busy', 'Stopped', 'the process is about to end'],
  ] as const)('says of %s what is wrong', (state, tone, title, because) => {
    expect(headlineOf(STATES[state]())).toMatchObject({ tone, state: title, because });
    expect(textOf(STATES[state]())).toContain(title);
  });

  it('names what fails although readiness does not need it', () => {
    const report = diagnosis({
      checks: [check('database'), failing('mail', { impact: 'optional' })],
    });
    expect(headlineOf(report).because).toBe(
      '1 of 2 checks does not pass, which readiness does not need',
    );
  });

  it('says of liveness that the process is restarted, and of a spent budget that the start failed', () => {
    const { probes } = diagnosis();
    const failed = { status: 'fail', httpStatus: 503, why: [[], []] } as const;
    const fatal = diagnosis({ probes: { ...probes, liveness: { ...failed, reason: 'fatal' } } });
    expect(headlineOf(fatal)).toMatchObject({
      state: 'Not live',
      because: 'the program has declared itself beyond repair, and 1 more reason',
      meaning: 'Liveness fails: an orchestrator restarts this process.',
    });
    const many = { ...failed, reason: 'fatal', moreReasons: 800 };
    const { because } = headlineOf(diagnosis({ probes: { ...probes, liveness: many } }));
    expect(because).toBe('the program has declared itself beyond repair, and 801 more reasons');
    const late = diagnosis({
      probes: { ...probes, startup: { ...failed, reason: 'startup_timeout' } },
    });
    expect(headlineOf(late)).toMatchObject({ tone: 'fail', state: 'Start-up failed' });
  });
});

describe('E4: the content', () => {
  it('tells each check with status, impact, value, age, thresholds, runs and history', () => {
    const page = body(STATES.databaseDown());
    const text = textOf(STATES.databaseDown());
    expect(text).toContain('used 10 · total 10 · idle 0 · waiting 23 · max 10');
    expect(text).toContain('0 of 2 successes until it passes');
    expect(text).toContain('since 03:08:38 · 4 min 3 s');
    expect(page).toContain(
      'aria-label="Duration of the last 60 runs: 2 ms to 1 s, median 3.6 ms; 14 failed"',
    );
    expect(text).toMatch(/Last 2 h 30 min: 1800 runs, 40 failed, slowest 1 s/);
    expect(text).toContain('03:07:41 –03:12:41: 40 failed of 60 runs');
    expect(page.indexOf('id="check-database"')).toBeLessThan(page.indexOf('id="check-cache"'));
  });

  it('tells of the process, the lease with its token, and what hale found', () => {
    const text = textOf({ ...STATES.draining(), findings: ['under npm'] });
    expect(text).toMatch(/178 MiB resident, 35 % of 512 MiB; heap 87 MiB of 381 MiB/);
    expect(text).toContain('41, 96 ms in all, longest 7.4 ms');
    expect(text).toMatch(/nightly-billing ✓ held Token 1842 Work stops in 18 s unless renewed/);
    expect(text).toMatch(/1 granted, 3 denied, 214 renewed, 1 timeout/);
    expect(text).toContain('under npm');
  });

  it('tells how far a drain has come', () => {
    const text = textOf(STATES.draining());
    expect(text).toMatch(/✓ done Balancers learn of it 10 s/);
    expect(text).toMatch(/running Work in flight ends/);
    expect(text).toContain('job 8812 of the queue &quot;invoices&quot;');
  });

  it('L7: tells of the block, its stack, and that the rest is old', () => {
    const text = textOf(STATES.blocked());
    expect(text).toContain('The main loop is blocked by');
    expect(text).toMatch(
      /renderReport \(\/app\/src\/report\.js:118:9\) \(anonymous\) \(\/app\/src\/routes\.js/,
    );
    expect(text).toContain('This page comes from a thread of its own');
  });

  it.each([
    [{ kind: 'unavailable', why: 'no inspector' }, 'No stack: no inspector'],
    [{ kind: 'javascript', frames: [] }, 'The stack was empty'],
    [
      { kind: 'native', kernel: { syscallName: 'epoll_wait', childProcesses: ['sleep 30'] } },
      'epoll_wait',
    ],
  ] as const)('L7: tells of %j', (cause, told) => {
    const stall = { at: STATES.ready().at, blockedForMs: 9_000, ongoing: false, cause };
    expect(textOf(diagnosis({ stall }))).toContain(told);
  });

  it('says what is missing', () => {
    const { process } = diagnosis();
    const { main: _main, memoryLimitBytes: _limit, ...bare } = process;
    const text = textOf({ ...STATES.noChecks(), process: { ...bare, series: [] } });
    expect(text).toContain('There are no checks');
    expect(text).toContain('Nothing has changed yet');
    expect(text).toContain('no limit known');
    expect(text).toContain('not told yet');
    expect(textOf(STATES.starting())).toContain('never ran');
  });

  it('keeps a long timeline behind a click', () => {
    const entry = STATES.blocked().timeline[0];
    const timeline = Array.from({ length: 200 }, () => entry).filter((one) => one !== undefined);
    expect(textOf(diagnosis({ timeline }))).toContain('180 older');
  });

  it('E4: two hundred checks: the failing first, and the page stays small', () => {
    const page = mainOf(STATES.manyChecks());
    expect(page.match(/<li id="check-/g)).toHaveLength(200);
    expect(page.indexOf('id="checks-fail"')).toBeLessThan(page.indexOf('id="checks-warn"'));
    expect(page.indexOf('id="checks-warn"')).toBeLessThan(page.indexOf('id="checks-pass"'));
    expect(page.match(/Last runs/g)?.length).toBe(
      STATES.manyChecks().checks.filter(({ verdict }) => verdict !== 'pass').length,
    );
    expect(Buffer.byteLength(page)).toBeLessThan(400_000);
  });
});

describe('E7: texts of others', () => {
  it.each([
    '<script>alert(1)</script>',
    '</style></script><!--',
    '" onmouseover="alert(1)',
    "' style='x",
    'line\nbreak\r\u0000\u001b[2J',
    '\u202egnp.exe\u2066',
    '\ud800',
    '&lt;b&gt;',
    '',
    '__proto__',
    '$& $1',
  ])('%j is harmless wherever it stands', (text) => {
    const well = renderPage(hostile('plain'));
    const { body: page } = renderPage(hostile(text));
    const tags = (all: string): string[] => all.match(/<[a-z/!][^>]*?(?=[\s>])/gi) ?? [];
    const main = (all: string): string => all.slice(all.indexOf('<body>'), all.indexOf('<script>'));
    // The same elements, and no attribute that the page does not set itself.
    // An empty text leaves out what would hold it.
    const missing = tags(main(well.body)).length - tags(main(page)).length;
    expect(text === '' ? missing >= 0 : missing === 0).toBe(true);
    const names = main(page).match(/(?<=\s)[a-z-]+(?==")/g) ?? [];
    expect([...new Set(names)].filter((name) => name.startsWith('on') || name === 'style')).toEqual(
      [],
    );
    expect(page.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    expect(renderPage(hostile(text)).headers).toEqual(well.headers);
  });
});

describe('E4: the page of thousands of checks', () => {
  it('has the lines of the worst, counts the others, and tells of the reasons that are not shown', () => {
    const bad = Array.from({ length: 20 }, (_, index) =>
      check(`bad-${index}`, { verdict: 'fail' }),
    );
    const good = Array.from({ length: 1980 }, (_, index) => check(`good-${index}`));
    const report = diagnosis({ checks: [...good, ...bad] });
    const { readiness } = report.probes;
    const probes = { ...report.probes, readiness: { ...readiness, why: [[]], moreReasons: 800 } };
    const page = body({ ...report, probes });
    expect(page.match(/<li id="check-(?:bad|good)/g)).toHaveLength(500);
    expect(page.match(/<li id="check-bad/g)).toHaveLength(20);
    expect(page).toContain('1500 more, listed once the page is live');
    expect(page).toContain('And 800 more reasons.');
  });
});

describe('E4: the policy', () => {
  it('names the digests of the script and the style that are in the page', () => {
    const { body: page, headers } = renderPage(STATES.ready());
    const policy = headers[headers.indexOf('Content-Security-Policy') + 1] ?? '';
    for (const element of ['script', 'style']) {
      const text = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page)?.[1] ?? '';
      const digest = createHash('sha256').update(text).digest('base64');
      expect(text.length).toBeGreaterThan(1_000);
      expect(policy).toContain(`${element}-src 'sha256-${digest}'`);
    }
    expect(page).not.toMatch(/(?:src|href)="(?:https?:|\/)/);
    expect(page).not.toMatch(/<[^>]+\sstyle=/);
  });

  it('loads itself anew only when asked to', () => {
    expect(body(STATES.ready())).not.toContain('http-equiv="refresh"');
    expect(renderPage(STATES.ready(), { refresh: true }).body).toContain(
      '<meta http-equiv="refresh" content="10">',
    );
  });

  it('stays below 60 kB of packed script and style', async () => {
    const { packedAssets } = await import('../../src/page/assets.generated.js');
    expect(packedAssets.length).toBeGreaterThan(10_000);
    expect(packedAssets.length).toBeLessThan(60_000);
  });
});
