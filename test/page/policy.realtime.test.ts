import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { probe } from '../support/probing.js';
import {
  DOWN,
  READY,
  STATUS,
  createPageKit,
  untilHeadline,
  untilLive,
  untilUpdated,
} from './page-kit.js';

const kit = createPageKit();
let proxy: Server | undefined;
afterEach(() => {
  proxy?.closeAllConnections();
  proxy?.close();
  proxy = undefined;
});

describe('E4 E7: what the page lets in', () => {
  const HOSTILE = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';

  it('E7: shows hostile texts as texts', async () => {
    await kit.start({ checks: ['mail'] });
    kit.tell('mail', { status: 'fail', output: `${HOSTILE} "quoted" 'and' \u0007` });
    const page = await kit.open();
    await untilHeadline(page, /Not ready.*<script>window\.owned=1<\/script>/s);
    await untilUpdated(page, 2);
    await page.locator('li.check summary').click();
    await page.locator('li.check canvas').first().waitFor();
    expect(await page.locator('li.check .output').innerText()).toContain(HOSTILE);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    kit.expectNoProblems();
  });

  it('E4: its policy stops what is planted: scripts, styles, requests to elsewhere, frames', async () => {
    await kit.start();
    const { headers } = await probe(kit.port(), STATUS, { headers: { accept: 'text/html' } });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache, no-store, must-revalidate',
      vary: 'Accept',
    });
    const page = await kit.open();
    await untilLive(page);
    kit.expectNoProblems();
    await page.evaluate(`
      window.stopped = [];
      document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective));
      const plant = (name, more) => document.body.append(Object.assign(document.createElement(name), more));
      plant('script', { textContent: 'window.owned = 1' });
      plant('style', { textContent: 'body { display: none }' });
      plant('div', { innerHTML: '<p style="color: red" onclick="window.owned = 1">planted</p>' });
      plant('img', { src: 'http://localhost:9/' });
      plant('iframe', { src: 'http://localhost:9/' });
      fetch('http://localhost:9/').catch(() => {});
    `);
    await page.getByText('planted').click();
    await expect
      .poll(async () => [...new Set(await page.evaluate<string[]>('stopped'))].toSorted())
      .toEqual([
        'connect-src',
        'frame-src',
        'img-src',
        'script-src-attr',
        'script-src-elem',
        'style-src-attr',
        'style-src-elem',
      ]);
    expect(await page.evaluate('window.owned')).toBeUndefined();
  });

  it('E4: without JavaScript it is a snapshot that says so', async () => {
    await kit.start();
    kit.tell('database', DOWN);
    await expect.poll(async () => (await probe(kit.port(), STATUS)).status).toBe(503);
    const page = await kit.open({ javaScript: false });
    await untilHeadline(page, 'Not ready');
    expect(await page.locator('#link').innerText()).toMatch(/^Snapshot of \d\d:\d\d:\d\d UTC$/);
    await page.getByRole('link', { name: 'have it load itself' }).click();
    await page.locator('meta[http-equiv="refresh"]').waitFor({ state: 'attached' });
    await page.locator('#check-database').locator('summary').click();
    expect(await page.locator('#check-database').innerText()).toContain('Last runs');
    kit.expectNoProblems();
  });

  it('E4: works behind a proxy that adds the token, below a path of its own', async () => {
    const token = 'correct-horse-battery-staple';
    await kit.start({ token });
    proxy = createServer((incoming, outgoing) => {
      const path = incoming.url?.replace(/^\/orders/, '') ?? '/';
      const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
      const asked = request({ port: kit.port(), path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      outgoing.on('close', () => asked.destroy());
      asked.on('error', () => outgoing.destroy());
      asked.end();
    }).listen(0, '127.0.0.1');
    await expect.poll(() => proxy?.listening).toBe(true);
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/orders`;
    const page = await kit.open({}, at);
    await untilHeadline(page, READY);
    await untilLive(page);
    kit.tell('database', DOWN);
    await untilHeadline(page, 'Not ready');
    kit.expectNoProblems();
  });
});
