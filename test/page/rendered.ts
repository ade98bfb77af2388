import type { Diagnosis } from '../../src/core/diagnosis.js';
import { type PageOptions, pageParts } from '../../src/page/page.js';

/** The page whole. */
export function renderPage(
  diagnosis: Diagnosis,
  options?: PageOptions,
): { readonly body: string; readonly headers: readonly string[] } {
  const { headers, parts } = pageParts(diagnosis, options);
  return { headers, body: [...parts].join('') };
}
