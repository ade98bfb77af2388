/** What a template of {@link html} takes; `false` and `undefined` leave nothing. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/** Text that is safe as HTML. Only {@link html} makes it, so whatever came from elsewhere has been escaped. */
export class Html {
  readonly #text: string;

  /** @internal */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Builds HTML. Everything between `${` and `}` is escaped unless it is HTML of another template; values of attributes
 * must stand in quotes.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const around = trimmed(strings);
  let text = around[0] ?? '';
  for (const [index, part] of parts.entries()) text += render(part) + (around[index + 1] ?? '');
  return new Html(text);
}

const known = new WeakMap<TemplateStringsArray, readonly string[]>();

/** A template without its indentation, which would be a third of the page. */
function trimmed(strings: TemplateStringsArray): readonly string[] {
  let around = known.get(strings);
  if (around === undefined) {
    around = strings.map((part) => part.replace(/\s*\n\s*/g, '\n'));
    known.set(strings, around);
  }
  return around;
}

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (Array.isArray(part)) return part.map(render).join('');
  return escapeText(String(part));
}

/** Markup, control bytes, half surrogates, and marks that turn the direction of the text that follows. */
const UNSAFE = /[&<>"'`\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes a text for HTML, in an element or in a quoted attribute; what cannot be seen is made visible. */
export function escapeText(text: string): string {
  // Nearly every text; it costs a tenth of looking for everything else.
  if (/^[\w .:,;()/-]*$/.test(text)) return text;
  return text.replace(UNSAFE, (character) => ENTITIES[character] ?? visible(character));
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 9 || code === 10) return character;
  // The pictures of control characters have the same order.
  if (code < 32) return String.fromCharCode(0x2400 + code);
  if (code === 127) return '\u2421';
  if (code < 160 || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
