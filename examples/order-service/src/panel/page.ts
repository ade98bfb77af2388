interface Button {
  readonly label: string;
  readonly path: string;
  readonly tone?: 'good' | 'danger';
}

interface Group {
  readonly title: string;
  readonly about: string;
  readonly buttons: readonly Button[];
}

const GROUPS: readonly Group[] = [
  {
    title: 'Database',
    about: 'Critical: readiness fails, liveness must not.',
    buttons: [
      { label: 'Healthy', path: '/faults/database?mode=ok', tone: 'good' },
      { label: '4 s slower', path: '/faults/database?mode=slow&ms=4000' },
      { label: 'Cut', path: '/faults/database?mode=cut' },
      { label: 'Refusing', path: '/faults/database?mode=refuse' },
      { label: 'Silent', path: '/faults/database?mode=hang' },
      { label: 'Oscillating', path: '/faults/database?mode=oscillate&ms=2000' },
    ],
  },
  {
    title: 'Main loop',
    about: 'Liveness fails after five seconds, and says why.',
    buttons: [
      { label: 'Block 3 s', path: '/faults/loop?ms=3000' },
      { label: 'Block 12 s', path: '/faults/loop?ms=12000' },
      { label: 'Native block 12 s', path: '/faults/native?ms=12000' },
    ],
  },
  {
    title: 'Mail',
    about: 'Degraded: the service stays in rotation and warns.',
    buttons: [
      { label: 'Healthy', path: '/faults/mail?mode=ok', tone: 'good' },
      { label: 'Down', path: '/faults/mail?mode=down' },
    ],
  },
  {
    title: 'Shutdown',
    about: 'Not ready at once, requests finish, exit 0.',
    buttons: [{ label: 'Drain and exit', path: '/faults/drain', tone: 'danger' }],
  },
];

const PROBES = [
  ['startup', 'Startup', 'Has it finished starting?'],
  ['liveness', 'Liveness', 'Would only a restart help?'],
  ['readiness', 'Readiness', 'Should it get traffic now?'],
] as const;

/** Makes text safe in HTML content and in quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function renderButton({ label, path, tone = 'danger' }: Button): string {
  return `<button type="button" class="${tone}" data-post="${escapeHtml(path)}">${escapeHtml(label)}</button>`;
}

function renderGroup({ title, about, buttons }: Group): string {
  return `<section class="card"><h3>${title}</h3><p>${about}</p>
<div class="buttons">${buttons.map(renderButton).join('')}</div></section>`;
}

function renderProbe([name, title, question]: readonly [string, string, string]): string {
  return `<article class="card probe" data-probe="${name}" data-tone="unknown">
<header><h3>${title}</h3><span class="badge" data-field="code">–</span></header>
<p>${question}</p>
<p class="state"><strong data-field="status">waiting</strong> <code data-field="reason"></code></p>
<div class="strip" data-field="strip" role="img" aria-label="${title}, last 60 seconds"></div>
<footer><span>60 s ago</span><span data-field="took"></span><span>now</span></footer>
</article>`;
}

/** The fault panel; `relayOrigin` is where its script asks what the probes say. */
export function renderPanel(relayOrigin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Order service · fault panel</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/panel/style.css">
<script type="module" src="/panel/client.js"></script>
</head>
<body data-relay="${escapeHtml(relayOrigin)}">
<header class="top"><h1>Order service</h1><p>Break it, and watch what its probes say.</p></header>
<main>
<h2>Probes</h2>
<div class="grid three">${PROBES.map(renderProbe).join('\n')}</div>
<h2>Faults</h2>
<p class="note" data-field="message" role="status">Nothing injected from this page yet.</p>
<div class="grid two">${GROUPS.map(renderGroup).join('\n')}</div>
<h2>Orders</h2>
<section class="card"><p>A real request through the pool, with its status and time.</p>
<div class="buttons"><button type="button" class="plain" data-order="create">Order a tea</button>
<button type="button" class="plain" data-order="pay">Pay the last order</button>
<button type="button" class="plain" data-order="list">List orders</button></div>
<ol class="log" data-field="log" aria-live="polite"></ol></section>
</main>
</body>
</html>
`;
}
