const COLOURS: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '36': 'cyan',
  '90': 'gray',
};
const CHARACTER = 8.4;
const LINE = 20;

/** What a terminal would show, as a picture for the docs. */
export function terminalSvg(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')];
  const widest = Math.max(...lines.map((line) => plain(line).length));
  const [width, height] = [Math.ceil(widest * CHARACTER) + 32, lines.length * LINE + 28];
  const texts = lines.map(
    (line, index) => `<text x="16" y="${(index + 1) * LINE + 8}">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
rect{fill:#fafaf9;stroke:#d6d3ce}text{font:14px/1 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1c1b1a;white-space:pre}
.bold{font-weight:700}.dim,.gray{fill:#6b675f}.red{fill:#b3201a}.green{fill:#1d6b34}.yellow{fill:#8a5200}.cyan{fill:#1f5f9e}
@media(prefers-color-scheme:dark){rect{fill:#161513;stroke:#3a3834}text{fill:#ebe9e5}.dim,.gray{fill:#aba69e}.red{fill:#ff9c94}.green{fill:#86d19a}.yellow{fill:#f2bd66}.cyan{fill:#8fc1f2}}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

// oxlint-disable-next-line eslint/no-control-regex
const STYLE = /\u001B\[([\d;]*)m/g;

function plain(line: string): string {
  return line.replace(STYLE, '');
}

function spans(line: string): string {
  const classes = new Set<string>();
  let svg = '';
  let from = 0;
  const close = (text: string): void => {
    if (text === '') return;
    const names = [...classes].join(' ');
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    svg += names === '' ? escaped : `<tspan class="${names}">${escaped}</tspan>`;
  };
  for (const match of line.matchAll(STYLE)) {
    close(line.slice(from, match.index));
    from = match.index + match[0].length;
    const code = match[1] ?? '';
    const name = COLOURS[code];
    if (name !== undefined) classes.add(name);
    else if (code === '22') ['bold', 'dim'].forEach((each) => classes.delete(each));
    else ['red', 'green', 'yellow', 'cyan', 'gray'].forEach((each) => classes.delete(each));
  }
  close(line.slice(from));
  return svg;
}
