import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, picture, picturing } from './browser.js';
import { DOWN, READY, createPageKit, untilHeadline, untilLive, untilUpdated } from './page-kit.js';

const kit = createPageKit();
const section = (page: Page, id: string) => page.locator(`#${id}`);

describe('E4: the diagnostic page of a real service, in Chromium', () => {
  it('E4: follows a start, trouble, an outage and the recovery without being loaded again', async () => {
    await kit.start({ waits: true });
    const page = await kit.open();
    await untilHeadline(page, 'Starting');
    await untilLive(page);
    await page.locator('.why', { hasText: 'waits for "price list"' }).first().waitFor();
    await picture(page, 'starting');
    await page.evaluate('window.notLoadedAgain = true');
    kit.program().send({ do: 'start' });
    await untilHeadline(page, READY);
    await section(page, 'leases').locator('.mark', { hasText: 'held' }).waitFor();
    expect(await section(page, 'leases').innerText()).toMatch(/Token\s*1\s/);
    expect(await section(page, 'check-database').innerText()).toContain(
      'used 3 · total 8 · idle 5 · waiting 0 · max 10',
    );
    await expectAccessible(page);
    kit.tell('cache', { status: 'fail', code: 'ECONNREFUSED', output: 'connect ECONNREFUSED' });
    await untilHeadline(page, /Ready, but degraded.*“cache” is in trouble: .*ECONNREFUSED/s);
    await picture(page, 'degraded');
    kit.tell('database', DOWN);
    await untilHeadline(page, /Not ready.*“database” fails: connection_refused: connect/s);
    expect(await page.title()).toMatch(/^Not ready – /);
    expect(await page.locator('#announce').innerText()).toBe('Not ready: “database” fails');
    const checks = await section(page, 'checks').innerText();
    expect(checks.indexOf('database')).toBeLessThan(checks.indexOf('payments'));
    expect(await section(page, 'timeline').innerText()).toMatch(
      /database\s*✕\s*fail\s*after pass for/,
    );
    kit.tell('database', {});
    kit.tell('cache', {});
    await untilHeadline(page, READY);
    expect(await page.evaluate('window.notLoadedAgain')).toBe(true);
    kit.expectNoProblems();
  });

  it.each([
    ['light', 1100, 'not-ready'],
    ['dark', 1100, 'not-ready-dark'],
    ['light', 360, 'not-ready-360'],
    ['dark', 360, undefined],
  ] as const)(
    'E4: is clean for an accessibility checker: %s, %i pixels wide',
    async (scheme, width, name) => {
      await kit.start();
      const page = await kit.open({ scheme, width });
      await untilHeadline(page, READY);
      if (name === 'not-ready') await picture(page, 'ready', 1400);
      kit.tell('database', DOWN);
      await untilHeadline(page, 'Not ready');
      expect(await page.title()).toMatch(/^Not ready – /);
      await untilLive(page);
      await section(page, 'check-database').locator('summary').click();
      await section(page, 'check-database').locator('h4', { hasText: 'Last runs' }).waitFor();
      await expectAccessible(page);
      await section(page, 'check-database').locator('summary').click();
      if (name !== undefined) await picture(page, name, width === 360 ? 1200 : 1000);
      kit.expectNoProblems();
    },
  );

  it('L7 E4: tells of a blocked main loop while it is blocked, and what blocked it', async () => {
    await kit.start();
    const page = await kit.open();
    await untilHeadline(page, READY);
    await untilLive(page);
    kit.program().send({ do: 'block', ms: picturing ? 12_000 : 7_000 });
    await untilHeadline(page, /Main loop blocked.*in renderReport/s);
    await picture(page, 'blocked');
    await page.locator('#blocked li', { hasText: 'renderReport' }).waitFor();
    expect(await section(page, 'headline').innerText()).toContain('an orchestrator restarts it');
    const loaded = await kit.open();
    await untilHeadline(loaded, /Main loop blocked.*in renderReport/s);
    expect(kit.program().messages).not.toContainEqual({ event: 'turned' });
    await expectAccessible(loaded);
    await kit.program().message('turned');
    await untilHeadline(page, READY);
    expect(await section(page, 'stall').innerText()).toMatch(
      /last time the main loop was blocked.*renderReport/s,
    );
    expect(await section(page, 'blocked').isHidden()).toBe(true);
    kit.expectNoProblems();
  });

  it('D1 E4: shows how far a drain has come, and that the process is gone afterwards', async () => {
    await kit.start();
    const page = await kit.open();
    await untilHeadline(page, READY);
    kit.program().send({ do: 'drain' });
    await untilHeadline(page, 'Draining');
    await page
      .locator('#drain [aria-current="step"]', { hasText: 'Everything is closed' })
      .waitFor();
    const drain = await section(page, 'drain').innerText();
    expect(drain).toMatch(/✓ done\s*Balancers learn of it/);
    expect(drain).toContain('flush of invoices');
    await expectAccessible(page);
    await picture(page, 'draining');
    kit.expectNoProblems();
    kit.program().send({ do: 'release' });
    await page.locator('#link[data-state="reconnecting"]').waitFor();
    await expect
      .poll(() => page.locator('#link').innerText())
      .toMatch(/^Reconnecting, data is \d+ s old$/);
  });

  it('E4: says so when there are no checks', async () => {
    await kit.start({ checks: [] });
    const page = await kit.open();
    await untilHeadline(page, READY);
    await untilLive(page);
    expect(await section(page, 'checks').innerText()).toContain('There are no checks');
    await expectAccessible(page);
    kit.expectNoProblems();
  });

  it('E4: stays usable with two hundred checks', async () => {
    await kit.start({
      checks: ['database', ...Array.from({ length: 199 }, (_, n) => `tenant-${n}`)],
    });
    kit.tell('database', DOWN);
    kit.tell('tenant-77', DOWN);
    const page = await kit.open();
    await untilHeadline(page, 'Not ready');
    await page.locator('#checks-fail li', { hasText: 'tenant-77' }).waitFor();
    await untilLive(page);
    expect(await page.locator('li.check').count()).toBe(200);
    await picture(page, 'many-checks');
    await page.getByLabel('Find a check').fill('tenant-15');
    await expect.poll(() => page.locator('#filter output').innerText()).toBe('11 of 200');
    expect(await page.locator('li.check:visible').count()).toBe(11);
    await section(page, 'check-tenant_19_150').locator('summary').click();
    await expect.poll(() => page.locator('li.check:visible .details').count()).toBe(1);
    await untilUpdated(page, 2);
    expect(await page.locator('li.check:visible').count()).toBe(11);
    await expectAccessible(page);
    kit.expectNoProblems();
  });

  it('E4: leaves focus, position and what is open alone when it is updated', async () => {
    await kit.start();
    const page = await kit.open({ height: 600 });
    await untilHeadline(page, READY);
    await untilLive(page);
    const summary = section(page, 'check-cache').locator('summary');
    await summary.focus();
    await page.keyboard.press('Enter');
    await section(page, 'check-cache').locator('.details .chart').first().scrollIntoViewIfNeeded();
    await section(page, 'check-cache').locator('.details canvas').first().waitFor();
    const top = await page.evaluate<number>('scrollTo(0, 400), scrollY');
    kit.tell('cache', { status: 'fail', output: 'gone' });
    await page.locator('#checks-fail #check-cache').waitFor();
    await untilUpdated(page, 2);
    expect(await page.evaluate('document.activeElement.closest("li").id')).toBe('check-cache');
    expect(
      await section(page, 'check-cache').locator('details').getAttribute('open'),
    ).not.toBeNull();
    expect(top).toBeGreaterThan(0);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    kit.expectNoProblems();
  });

  it('E4: everything that can be opened is reached and opened with the keyboard', async () => {
    await kit.start();
    kit.tell('database', DOWN);
    const page = await kit.open();
    await untilHeadline(page, 'Not ready');
    await untilLive(page);
    const wanted = await page.locator('main summary:visible').count();
    expect(wanted).toBeGreaterThanOrEqual(4);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the checks');
    const reached = new Set<string>();
    for (let press = 0; press < wanted; press += 1) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate<string>('document.activeElement.parentElement.id'));
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
        'solid',
      );
    }
    expect(reached.size).toBe(wanted);
    expect([...reached]).toContain('details-payments');
    await page.keyboard.press('Enter');
    await page.locator('details[open] .details').first().waitFor();
    kit.expectNoProblems();
  });
});
