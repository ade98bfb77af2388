import type { Diagnosis } from '../core/diagnosis.js';
import { pageAssets } from './assets.js';
import { documentParts } from './document.js';

/** The page as an answer, whatever sends it. */
export interface Page {
  /** Rendered one after another as they are taken; some are empty. */
  readonly parts: Iterable<string>;
  /** Names and values in turn; without a length. */
  readonly headers: readonly string[];
}

export interface PageOptions {
  /** Whether the browser is to load it anew every ten seconds, for those without JavaScript. @defaultValue false */
  readonly refresh?: boolean;
}

const REFRESH_SECONDS = 10;

/** Media type of the page. */
export const PAGE_TYPE = 'text/html; charset=utf-8';

/**
 * Renders the diagnostic page (E4). It loads nothing, runs only its own script and style, which the policy knows by
 * their digests, and asks only where it came from.
 */
export function pageParts(diagnosis: Diagnosis, { refresh = false }: PageOptions = {}): Page {
  const assets = pageAssets();
  return {
    parts: documentParts(diagnosis, assets, refresh ? { refreshSeconds: REFRESH_SECONDS } : {}),
    headers: [
      'Content-Security-Policy',
      policy(assets),
      'Referrer-Policy',
      'no-referrer',
      'X-Frame-Options',
      'DENY',
      'Cross-Origin-Opener-Policy',
      'same-origin',
      'Cross-Origin-Resource-Policy',
      'same-origin',
      'Vary',
      'Accept',
    ],
  };
}

function policy({ scriptHash, styleHash }: ReturnType<typeof pageAssets>): string {
  return [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
