import { describe, expect, it } from 'vitest';
import { createAnswerReader } from '../../../src/cli/probe/http-answer.js';
import { judgeHttp } from '../../../src/cli/probe/verdict.js';

const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Feeds one character at a time, as the network may. */
function read(text: string) {
  const reader = createAnswerReader();
  for (const character of text) {
    const answer = reader.push(character);
    if (answer !== undefined) return answer;
  }
  return reader.end();
}

describe('E6: the HTTP answer of a probe', () => {
  it.each([
    ['a length', `${HEAD}Content-Length: 2\r\n\r\nok`],
    ['the end of the connection', `${HEAD}\r\nok`],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\n\r\n`],
    ['an interim answer', `HTTP/1.1 103 Early Hints\r\n\r\n${HEAD}content-length:2\r\n\r\nok`],
  ])('ends a body with %s', (_what, text) => {
    expect(read(text)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('reads HTTP/1.0, a missing reason phrase, and no body after 204', () => {
    expect(read('HTTP/1.0 503\r\n\r\n')).toMatchObject({ status: 503, body: '' });
    expect(createAnswerReader().push('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({
      status: 204,
    });
  });

  it.each([
    ['', 'closed without an answer'],
    ['HTTP/1.1 200 O', 'cut short'],
    [`${HEAD}Content-Length: 3\r\n\r\nok`, 'cut short'],
    [`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nok`, 'cut short'],
    [`${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\nok`, 'not HTTP/1'],
    [`${HEAD}Content-Length: -2\r\n\r\nok`, 'not HTTP/1'],
    [`${HEAD}Content-Length: 1e1\r\n\r\n`, 'not HTTP/1'],
    ['SSH-2.0-OpenSSH', 'not HTTP/1'],
    ['HTTP/1.1 abc\r\n\r\n', 'not HTTP/1'],
    [`${HEAD}\r\n${'x'.repeat(1_100_000)}`, 'too long'],
  ])('refuses %#: %s', (text, message) => {
    const reader = createAnswerReader();
    expect(() => {
      if (reader.push(text) === undefined) reader.end();
    }).toThrow(message);
  });
});

describe('E6: what a probe says', () => {
  const judge = (status: number, body: string, location?: string) =>
    judgeHttp({ status, body, location });

  it.each([
    [200, '{"status":"pass","reason":"ok"}', true, 'pass ok'],
    [200, '{"status":"warn","reason":"check_degraded:cache"}', true, 'warn check_degraded:cache'],
    [503, '{"status":"fail","reason":"draining"}', false, 'fail draining'],
    [503, '{"status":"warn","reason":"check_degraded:a"}', false, 'fail check_degraded:a'],
    [204, '', true, 'pass HTTP 204'],
    [404, '{"error":"not found"}', false, 'fail HTTP 404'],
    [500, 'null', false, 'fail HTTP 500'],
  ])('%i %s', (status, body, pass, line) => {
    expect(judge(status, body)).toEqual({ pass, line });
  });

  it('fails on a redirect, wherever it leads', () => {
    expect(judge(302, '', 'https://login/')).toEqual({
      pass: false,
      line: 'fail HTTP 302: redirects to https://login/, which is not followed',
    });
    expect(judge(304, '')).toMatchObject({ pass: false });
    const { line } = judge(302, '', 'https://user:s3cret@login/?state=s3cret');
    expect(line).toBe('fail HTTP 302: redirects to ***@login/?***, which is not followed');
    expect(judge(302, '', '/login#token=s3cret').line).not.toContain('s3cret');
  });

  it('keeps to one short line whatever the other side sends', () => {
    const { line } = judge(503, JSON.stringify({ reason: `a\nb\u001b[31m${'x'.repeat(1000)}` }));
    expect(line).toMatch(/^fail a b \[31mx+\.\.\.$/);
    expect(line.length).toBeLessThan(310);
    // Without the marks that turn the direction of writing around.
    const turned = judge(503, JSON.stringify({ reason: 'a\u202Eb\u2066c\u200Fd\u061Ce' }));
    expect(turned.line).toBe('fail a b c d e');
  });
});
