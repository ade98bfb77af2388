import type { FleetInstance, FleetView } from '../../fleet.js';
import { type Html, escapeText, html } from '../../page/html.js';
import { plural } from '../../page/text.js';
import { MARKS } from '../status/paint.js';
import { headline, instanceWords, notes, worstFirst } from './words.js';

/** More rows than anybody reads; the worst are among them. */
const MOST_ROWS = 500;

/** What is sent anew whenever it has changed. */
export interface FleetFragment {
  readonly title: string;
  readonly main: string;
}

/** The changing part of the page. */
export function fleetFragment(view: FleetView, list: readonly FleetInstance[]): FleetFragment {
  const { tone, text } = headline(view, list);
  const shown = worstFirst(list).slice(0, MOST_ROWS);
  const main = html`<h1 data-tone="${tone}">
      <span aria-hidden="true">${MARKS[tone]}</span> <span role="status">${text}</span>
    </h1>
    ${notes(view).map((note) => html`<p class="note">${note}</p>`)}
    ${shown.length > 0 && table(shown)}
    ${list.length > shown.length && html`<p>and ${plural(list.length - shown.length, 'more')}</p>`}`;
  return { title: `${text} – fleet`, main: main.toString() };
}

function table(instances: readonly FleetInstance[]): Html {
  const heads = ['State', 'Name', 'Readiness', 'Version', 'Age', 'Heartbeat', 'Token'];
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${instances.map(row)}
    </tbody>
  </table>`;
}

function row(instance: FleetInstance): Html {
  const { tone, state, name, says, release, age, heartbeat, token } = instanceWords(instance);
  return html`<tr data-tone="${tone}">
    <td><b>${MARKS[tone]} ${state}</b></td>
    <th scope="row"><bdi>${name}</bdi><small>${instance.holder}</small></th>
    <td data-label="readiness"><bdi>${says}</bdi></td>
    <td data-label="version"><bdi>${release}</bdi></td>
    <td data-label="age">${age}</td>
    <td data-label="heartbeat">${heartbeat}</td>
    <td data-label="token">${token}</td>
  </tr>`;
}

/** The whole page; script and style are resources of their own, so that nothing inline is allowed. */
export function fleetPage(fragment: FleetFragment): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(fragment.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<script src="script.js" defer></script>
</head>
<body>
<p id="link" role="alert" hidden>Not connected: what stands here is old.</p>
<main>${fragment.main}</main>
<noscript><p class="note">Without JavaScript this page stands still.</p></noscript>
</body>
</html>
`;
}
