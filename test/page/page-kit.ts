import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import type { BoundAddress } from '../../src/core/probe-host.js';
import { type Program, bundleProgram, startProgram } from '../support/program.js';
import { type Tab, type TabOptions, openBrowser, openTab } from './browser.js';

/** Where the page is. */
export const STATUS = '/healthz/status';

/** The headline of a service in which nothing is wrong. */
export const READY = /^\s*✓ Ready\s*$/;

/** What a check says whose database does not answer. */
export const DOWN = {
  status: 'fail',
  code: 'connection_refused',
  output: 'connect ECONNREFUSED 10.0.4.17:5432',
  observedValue: { used: 10, total: 10, idle: 0, waiting: 23, max: 10 },
  observedUnit: 'connections',
} as const;

/** A service in a process of its own, and tabs that show its page. */
export interface PageKit {
  /** Of the diagnostic listener. */
  port(): number;
  start(setting?: object): Promise<void>;
  /** Opens the page, here or behind something else. */
  open(options?: TabOptions, at?: string): Promise<Page>;
  program(): Program;
  /** Has a check say it from now on. */
  tell(check: string, result: object): void;
  /** Expects that no tab complained of anything. */
  expectNoProblems(): void;
}

/** Creates it for the tests of a file; whatever they leave open is closed after each. */
export function createPageKit(): PageKit {
  let browser: Browser | undefined;
  let bundle: Awaited<ReturnType<typeof bundleProgram>> | undefined;
  let program: Program | undefined;
  let port = 0;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    [browser, bundle] = await Promise.all([openBrowser(), bundleProgram('page-service')]);
  });
  afterAll(async () => {
    await browser?.close();
    bundle?.remove();
  });
  afterEach(async () => {
    for (const { page } of tabs.splice(0)) await page.context().close();
    await program?.stop();
  });

  const running = (): Program => {
    if (program === undefined) throw new Error('no service was started');
    return program;
  };
  return {
    port: () => port,
    program: running,
    async start(setting = {}) {
      program = startProgram(bundle?.file ?? '', { args: [JSON.stringify(setting)] });
      const { addresses } = await program.message('listening');
      const bound = (addresses as BoundAddress[]).find(({ kind }) => kind === 'diagnostic');
      port = bound?.port ?? 0;
    },
    async open(options = {}, at = `http://127.0.0.1:${port}`) {
      if (browser === undefined) throw new Error('there is no browser');
      const tab = await openTab(browser, `${at}${STATUS}`, options);
      tabs.push(tab);
      return tab.page;
    },
    tell: (check, result) => running().send({ do: 'tell', check, result }),
    expectNoProblems: () => expect(tabs.flatMap(({ problems }) => problems)).toEqual([]),
  };
}

/** Resolves once the page follows the service. */
export async function untilLive(page: Page): Promise<void> {
  await page.locator('#link[data-state="live"]').waitFor();
  await page.locator('#process-memory .figure').waitFor();
}

/** Resolves once the biggest heading says it. */
export async function untilHeadline(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('h1', { hasText: text }).waitFor({ timeout: 30_000 });
}

/** Resolves once that many further reports have been drawn. */
export async function untilUpdated(page: Page, times: number): Promise<void> {
  const time = page.locator('#instance time');
  for (let seen = 0; seen < times; seen += 1) {
    const last = (await time.getAttribute('datetime')) ?? '';
    await expect.poll(() => time.getAttribute('datetime'), { timeout: 30_000 }).not.toBe(last);
  }
}
