/** The panel's style sheet: two colour schemes, one column below 640 px, visible focus. */
export const PANEL_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #dfe3e8; --text: #17202b; --soft: #566273;
  --pass: #1a7f4b; --warn: #9a6400; --fail: #c2312b; --none: #8a94a3; --focus: #2563eb;
  --button: #eef1f5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151c; --card: #18202a; --line: #2b3643; --text: #e8edf3; --soft: #9fadbd;
    --pass: #3fc380; --warn: #e3a83b; --fail: #f0665f; --none: #6d7988; --focus: #7db0ff;
    --button: #222d39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 66rem; padding: 1.5rem 1rem 3rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
}
h1 { margin: 0; font-size: 1.5rem; letter-spacing: -0.01em; }
h2 { margin: 2rem 0 0.75rem; font-size: 0.8125rem; letter-spacing: 0.08em; text-transform: uppercase; color: var(--soft); }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0.25rem 0 0; color: var(--soft); }
code { font: 0.8125rem ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.grid { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 640px) { .two { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 800px) { .three { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1rem; }
.card p { font-size: 0.875rem; }
.probe { --tone: var(--none); border-top: 4px solid var(--tone); }
.probe header { display: flex; justify-content: space-between; align-items: baseline; }
.badge { font-weight: 650; font-variant-numeric: tabular-nums; color: var(--tone); }
.probe .state { min-height: 3rem; margin-top: 0.75rem; color: var(--text); }
.state strong { color: var(--tone); }
[data-tone="pass"] { --tone: var(--pass); }
[data-tone="warn"] { --tone: var(--warn); }
[data-tone="fail"] { --tone: var(--fail); }
[data-tone="unknown"] { --tone: var(--none); }
.strip { display: flex; gap: 1px; height: 1.75rem; margin-top: 0.5rem; }
.strip i { flex: 1 1 0; border-radius: 1px; background: var(--line); }
.strip i[data-tone] { background: var(--tone); }
/* Not by colour alone: what failed is full height, what passed is low. */
.strip i[data-tone="pass"] { align-self: end; height: 45%; }
.strip i[data-tone="warn"] { align-self: end; height: 70%; }
.probe footer { display: flex; justify-content: space-between; margin-top: 0.25rem; font-size: 0.75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
button {
  min-height: 2.5rem; padding: 0.4rem 0.85rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--button); color: var(--text); font: inherit; font-size: 0.875rem; cursor: pointer;
}
button:hover { border-color: var(--soft); }
button:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
button[aria-pressed="true"].danger { border-color: var(--fail); color: var(--fail); font-weight: 600; }
button[aria-pressed="true"].good { border-color: var(--pass); color: var(--pass); font-weight: 600; }
.note { margin: 0 0 0.75rem; font-size: 0.875rem; min-height: 1.5em; overflow-wrap: anywhere; }
.log { margin: 0.75rem 0 0; padding: 0; list-style: none; font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.log li { padding: 0.25rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
`;
