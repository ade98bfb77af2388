import { styleText } from 'node:util';
import type { CheckStatus } from '../../core/check.js';
import { plainText } from '../../core/plain-text.js';

/** How texts are coloured; without colours it returns them as they are. */
export interface Paint {
  readonly tone: (tone: Tone, text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** How a document is drawn. */
export interface RenderOptions {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
}

export type Tone = CheckStatus | 'busy';

const COLOURS = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'gray',
  busy: 'cyan',
} as const;

/** Never by colour alone. */
export const MARKS: Readonly<Record<Tone, string>> = {
  pass: '✓',
  warn: '!',
  fail: '✗',
  unknown: '?',
  busy: '…',
};

const BARS = '▁▂▃▄▅▆▇█';

/** Creates a paint. */
export function createPaint(colours: boolean): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    colours ? styleText(format, text, { validateStream: false }) : text;
  return {
    tone: (tone, text) => style(COLOURS[tone])(text),
    bold: style('bold'),
    dim: style('dim'),
  };
}

/** A text from outside, safe for a terminal, cut to a width. */
export function fit(text: string, width: number): string {
  const plain = plainText(text);
  return plain.length > width ? `${plain.slice(0, Math.max(0, width - 1))}…` : plain;
}

/** A text from outside, broken between words into at most so many lines. */
export function wrap(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = plainText(text);
  while (rest.length > width && lines.length < most - 1) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > 0 ? space : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, fit(rest, width)];
}

/** A text of exactly a width. */
export function cell(text: string, width: number): string {
  return fit(text, width).padEnd(width);
}

/** Values as bars, the highest of them at the top. */
export function sparkline(values: readonly number[]): string {
  const top = Math.max(...values, 0);
  if (top === 0) return (BARS[0] ?? '').repeat(values.length);
  return values.map((value) => BARS[Math.round((Math.max(0, value) / top) * 7)] ?? '').join('');
}
