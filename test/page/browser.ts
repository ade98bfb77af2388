import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type Page, chromium } from 'playwright-core';
import { expect } from 'vitest';
import { ensureServers, findChromium } from '../../tools/ensure-servers.mjs';

/** A real Chromium, without a window. */
export async function openBrowser(): Promise<Browser> {
  await ensureServers({ need: ['chromium'] });
  return chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    // Its sandbox refuses root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** A tab, and what it complained of. */
export interface Tab {
  readonly page: Page;
  /** Errors of the console and of the script; violations of the policy are among them. */
  readonly problems: string[];
}

export interface TabOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly javaScript?: boolean;
}

/** Opens a page in a tab of its own. */
export async function openTab(
  browser: Browser,
  url: string,
  { scheme = 'light', width = 1100, height = 1000, javaScript = true }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    javaScriptEnabled: javaScript,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(url);
  return { page, problems };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Expects that axe finds nothing to complain of, and that the page is not wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  // As a text: it runs in the page, whatever its policy says.
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate<{
    violations: Violation[];
    passes: unknown[];
  }>('axe.run()');
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
  ).toEqual([]);
  expect(passes.length).toBeGreaterThan(10);
  const [wide, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  expect(wide).toBeLessThanOrEqual(window);
}

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Whether pictures for the docs are taken. */
export const picturing = process.env['HALE_SCREENSHOTS'] === '1';

/** Takes a picture for the docs when `HALE_SCREENSHOTS` is 1, once there is something to see in the charts. */
export async function picture(page: Page, name: string, height?: number): Promise<void> {
  if (!picturing) return;
  const { width = 1100 } = page.viewportSize() ?? {};
  if (height !== undefined) await page.setViewportSize({ width, height });
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${IMAGES}page-${name}.png` });
}
