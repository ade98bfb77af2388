/** Takes in what the server sends. Its HTML has been escaped there, and the policy allows no script in it. */
export const FLEET_SCRIPT = `'use strict';
const main = document.querySelector('main');
const link = document.getElementById('link');
const events = new EventSource('events');
events.onmessage = ({ data }) => {
  const fragment = JSON.parse(data);
  main.innerHTML = fragment.main;
  document.title = fragment.title;
};
events.onopen = () => { link.hidden = true; };
events.onerror = () => { link.hidden = false; };
`;

export const FLEET_STYLE = `:root {
  color-scheme: light dark;
  --back: #fafaf9; --card: #fff; --text: #1c1b1a; --muted: #5b5853; --rule: #e2dfda;
  --pass: #1d6b34; --warn: #8a5200; --fail: #b3201a; --unknown: #56524d; --busy: #1f5f9e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #161513; --card: #1e1d1b; --text: #ebe9e5; --muted: #aba69e; --rule: #3a3834;
    --pass: #86d19a; --warn: #f2bd66; --fail: #ff9c94; --unknown: #c4bfb7; --busy: #8fc1f2;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 72rem; padding: 0.75rem 1rem 3rem;
  background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
h1 { font-size: 1.4rem; }
[data-tone='pass'] b, h1[data-tone='pass'] { color: var(--pass); }
[data-tone='warn'] b, h1[data-tone='warn'] { color: var(--warn); }
[data-tone='fail'] b, h1[data-tone='fail'] { color: var(--fail); }
[data-tone='unknown'] b, h1[data-tone='unknown'] { color: var(--unknown); }
[data-tone='busy'] b, h1[data-tone='busy'] { color: var(--busy); }
.note, #link { padding: 0.5rem 0.75rem; border-left: 4px solid var(--warn); background: var(--card); }
table { width: 100%; border-collapse: collapse; background: var(--card); font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { font-weight: 600; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; }
thead th { color: var(--muted); font-size: 0.85rem; white-space: nowrap; }
td:first-child { white-space: nowrap; }
small { display: block; color: var(--muted); font-weight: 400; }
@media (max-width: 44rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody, tr, th, td { display: block; }
  tr { padding: 0.5rem 0.25rem; border-bottom: 1px solid var(--rule); }
  th, td { padding: 0.1rem 0.5rem; border: 0; }
  td[data-label]::before { content: attr(data-label) ' '; color: var(--muted); }
  td[data-label='version']:has(bdi:empty), td[data-label='readiness']:has(bdi:empty) { display: none; }
}
`;
