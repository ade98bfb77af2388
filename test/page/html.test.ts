import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Html, escapeText, html } from '../../src/page/html.js';

describe('templates', () => {
  it('E7: escape what they are given, and keep what another template made', () => {
    const inner = html`<b title="${'"x"'}">${"<i>'&`"}</b>`;
    expect(inner.toString()).toBe('<b title="&quot;x&quot;">&lt;i&gt;&#39;&amp;&#96;</b>');
    expect(html`<p>${inner}${[inner, 1]}</p>`.toString()).toBe(
      `<p>${String(inner)}${String(inner)}1</p>`,
    );
  });

  it('leave nothing for what is absent, and lose their indentation', () => {
    expect(html`<p>${undefined}${false}${''}${0}</p>`.toString()).toBe('<p>0</p>');
    // Under another name, so that the formatter leaves it alone.
    const template = html;
    expect(
      template`<p>
      a
    </p>`.toString(),
    ).toBe('<p>\na\n</p>');
    expect(html`<p>${'a\n  b'}</p>`.toString()).toBe('<p>a\n  b</p>');
  });

  it('E7: take no text for HTML, whatever it pretends to be', () => {
    const pretender = { toString: () => '<b>' } as unknown as string;
    expect(html`${pretender}`.toString()).toBe('&lt;b&gt;');
    expect(html`${''}`).toBeInstanceOf(Html);
  });
});

describe('texts', () => {
  it.each([
    ['a\u0000\u0007\u001b[31m', 'a\u2400\u2407\u241b[31m'],
    ['\u007f\u0085', '\u2421\ufffd'],
    ['abc\u202etxt.exe', 'abc[U+202E]txt.exe'],
    ['\u2066\u200f\u061c', '[U+2066][U+200F][U+061C]'],
    ['\ud800x\udc00', '\ufffdx\ufffd'],
    ['😀 שלום\tnext\nline', '😀 שלום\tnext\nline'],
  ])('E7: %j shows as %j', (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it('E7: hold no markup and nothing invisible, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = escapeText(text);
        expect(shown).not.toMatch(/[<>"'`\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(shown.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(shown.replace(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&');
      }),
    );
  });
});
