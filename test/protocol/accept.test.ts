import { describe, expect, it } from 'vitest';
import { mediaQuality } from '../../src/protocol/accept.js';
import { prefersHtml } from '../../src/probe/diagnosis/status-route.js';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('the Accept header', () => {
  it.each([
    ['text/html', 1],
    ['TEXT/HTML;Q=0.5', 0.5],
    ['application/json, text/html;level=1;q=0.3, text/html;q=0.7', 0.7],
    ['text/html;q=0', 0],
    ['text/html;q=2', 0],
    ['text/html;q=x', 0],
    ['*/*', 0],
    ['text/*', 0],
    ['', 0],
  ])('E4: %j likes HTML as much as %d', (accept, quality) => {
    expect(mediaQuality(accept, 'text/html')).toBe(quality);
  });

  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['application/health+json', false],
    ['application/json, text/html;q=0.9', false],
    ['text/html;q=0.9, application/health+json', false],
    ['text/html, application/json', true],
    ['text/html', true],
    [CHROME, true],
  ])('E4: %j is answered with the page: %s', (accept, page) => {
    expect(prefersHtml(accept)).toBe(page);
  });
});
