import type { Diagnosis } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { facts, foreign, growing, timeAt } from './pieces.js';

/** Which process this is. */
export function instanceSection({ instance, uptimeMs, phase, at, schema }: Diagnosis): Html {
  const { pid, host, nodeVersion, haleVersion, version, releaseId } = instance;
  return facts([
    ['Phase', phase],
    ['Host', foreign(host)],
    ['Process', String(pid)],
    ['Version', version === undefined ? undefined : foreign(version)],
    ['Release', releaseId === undefined ? undefined : foreign(releaseId)],
    ['Runs for', growing(uptimeMs)],
    ['Node.js', nodeVersion],
    ['hale', haleVersion],
    ['This report', html`${timeAt(at, at)} UTC, schema ${schema}`],
  ]);
}

/** What hale found wrong with where it runs. */
export function findingsSection({ findings }: Diagnosis): Html {
  return html`<ul class="list">
    ${findings.map((finding) => html`<li>${foreign(finding)}</li>`)}
  </ul>`;
}
