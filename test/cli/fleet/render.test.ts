import { describe, expect, it } from 'vitest';
import { eventDocument, fleetDocument } from '../../../src/cli/fleet/document.js';
import { fleetFragment, fleetPage } from '../../../src/cli/fleet/page-html.js';
import { renderFleet } from '../../../src/cli/fleet/render.js';
import { eventWords, instanceWords } from '../../../src/cli/fleet/words.js';
import { createPaint } from '../../../src/cli/status/paint.js';
import { SHOWN, instance, viewOf } from './support.js';
import { terminalSvg } from './terminal-svg.js';

const plain = { paint: createPaint(false), width: 120, rows: 40 };
const HOSTILE = '<img src=x onerror=alert(1)>\u001B[2J\u202E';

describe('the fleet in a terminal', () => {
  it('H7: is what the docs show', async () => {
    const text = renderFleet(viewOf(SHOWN), SHOWN, { ...plain, paint: createPaint(true) });
    const svg = terminalSvg('hale fleet --prefix orders/ --watch', text);
    await expect(svg).toMatchFileSnapshot('../../../docs/images/fleet.svg');
  });

  it('H7: shows the worst first, and says why one is not ready', () => {
    const lines = renderFleet(viewOf(SHOWN), SHOWN, plain).split('\n');
    expect(lines[0]).toBe('✗ 4 up (2 not ready), 1 suspect, 1 down');
    const names = lines.slice(3, 9).map((line) => /orders\/web-\d/.exec(line)?.[0]);
    expect(names).toEqual([4, 2, 5, 3, 1, 0].map((number) => `orders/web-${number}`));
    expect(lines[6]).toContain('not ready: check_failed:database');
  });

  it.each([40, 60, 80, 120])('H7: fits into %i columns', (width) => {
    const long = [
      ...SHOWN,
      instance(`orders/${'x'.repeat(150)}`, { info: { releaseId: 'r'.repeat(90) } }),
    ];
    for (const line of renderFleet(viewOf(long), long, { ...plain, width }).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
  });

  it('H7: counts what does not fit', () => {
    const text = renderFleet(viewOf(SHOWN), SHOWN, { ...plain, rows: 2 });
    expect(text).toMatch(/and 4 more\n$/);
  });

  it('H7: says what stands in the way of believing it', () => {
    const unknown = SHOWN.map((each) => ({ ...each, state: 'unknown' as const }));
    expect(renderFleet(viewOf(unknown, { registry: 'lost' }), unknown, plain)).toMatch(
      /^\? 6 instances, state unknown\n {2}The registry does not answer/,
    );
    const held = [instance('a', { state: 'suspect', held: true }), instance('b')];
    const massLoss = { vanished: 1, total: 2 };
    const text = renderFleet(viewOf(held, { massLoss, unwell: 2 }), held, plain);
    expect(text).toMatch(/^! 1 up, 1 held\n {2}1 of 2 vanished at once/);
    expect(text).toContain('This observer is slow');
    expect(text).toMatch(/! held/);
    expect(renderFleet(viewOf([], { registry: 'settling' }), [], plain)).toMatch(
      /^\? no instances\n.*nobody is declared down yet/,
    );
  });

  it('H7: lets nothing that an instance says steer the terminal', () => {
    const list = [
      instance(HOSTILE, { info: { version: HOSTILE, reason: HOSTILE, status: 'fail' } }),
    ];
    const text = renderFleet(viewOf(list), list, plain);
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('\u202E');
  });

  it('H7: knows what an instance that says nothing, or little, is', () => {
    expect(instanceWords(instance('a', { info: {} }))).toMatchObject({ tone: 'pass', says: '' });
    expect(instanceWords(instance('a', { info: { phase: 'draining' } })).says).toBe('draining');
    expect(
      instanceWords(instance('a', { info: { phase: 'draining', status: 'fail' } })),
    ).toMatchObject({ tone: 'busy', says: 'not ready' });
  });
});

describe('the events of a fleet', () => {
  it('H7: are a line each', () => {
    const [down] = SHOWN;
    if (down === undefined) throw new Error('nothing is shown');
    expect(eventWords({ kind: 'down', instance: down })).toBe(
      'down  orders/web-4  ready  1.4.1  heartbeat 41 s ago, phi 100.0',
    );
    expect(eventWords({ kind: 'mass_loss', vanished: 3, total: 9 })).toBe('mass_loss  3 of 9');
    expect(eventWords({ kind: 'mass_loss_over', confirmed: true })).toMatch(/taken for real/);
    expect(eventWords({ kind: 'mass_loss_over', confirmed: false })).toMatch(/enough came back/);
    expect(eventWords({ kind: 'foreign', key: 'hale/lease/x' })).toBe('foreign  hale/lease/x');
    expect(eventWords({ kind: 'registry_back' })).toBe('registry_back');
  });

  it('H7: are JSON with tokens as texts, and without the error of a driver', () => {
    const at = '2026-11-30T00:00:00.000Z';
    const told = eventDocument({ kind: 'registry_lost', error: new Error('secret') }, at);
    expect(told).toBe(`{"at":"${at}","kind":"registry_lost"}`);
    const document = JSON.parse(fleetDocument(viewOf(SHOWN), SHOWN)) as Record<string, unknown>;
    expect(document).toMatchObject({ schema: 1, total: 6, instances: { 0: { token: '8' } } });
  });
});

describe('the page of a fleet', () => {
  it('H7: escapes what instances say', () => {
    const list = [
      instance(HOSTILE, {
        holder: HOSTILE,
        info: { version: HOSTILE, reason: HOSTILE, status: 'fail' },
      }),
    ];
    const page = fleetPage(fleetFragment(viewOf(list), list));
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202E');
    expect(page).toContain('&lt;img src=x');
  });

  it('H7: has nothing inline, and nothing from elsewhere', () => {
    const page = fleetPage(fleetFragment(viewOf(SHOWN), SHOWN));
    expect(page).not.toMatch(/<script(?! src="script\.js")|<style|style=|https?:/);
    expect(page).toContain('<title>4 up (2 not ready), 1 suspect, 1 down – fleet</title>');
  });

  it('H7: stays small for a large fleet', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => instance(`i${index}`));
    const { main } = fleetFragment(viewOf(list), list);
    expect(main.match(/<tr data-tone/g)).toHaveLength(500);
    expect(main).toContain('and 9500 more');
    expect(main.length).toBeLessThan(300_000);
  });
});
