import { describe, expect, it } from 'vitest';
import { createPaint, sparkline } from '../../../src/cli/status/paint.js';
import { renderDiagnosis } from '../../../src/cli/status/render.js';
import { STATES, hostile } from '../../page/diagnoses.js';
import { check, diagnosis } from '../../page/report-parts.js';

function draw(of = diagnosis(), width = 100): string {
  return renderDiagnosis(of, { paint: createPaint(false), width });
}

describe('hale status: the picture', () => {
  it.each(Object.entries(STATES))(
    'E4: state %s: its first line says what is the matter',
    (_, make) => {
      const [first = '', second = ''] = draw(make()).split('\n');
      expect(first).toMatch(/^[✓!✗…?] \S/u);
      expect(second.trim()).not.toBe('');
    },
  );

  it.each(Object.entries(STATES))('E4: state %s: no line is wider than the terminal', (_, make) => {
    for (const line of draw(make(), 80).split('\n'))
      expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('E4: the worst check comes first, with its error and how far it is', () => {
    const text = draw(
      diagnosis({
        checks: [
          check('fine'),
          check('database', {
            verdict: 'fail',
            output: 'connect ECONNREFUSED',
            threshold: { to: 'pass', count: 1, needed: 2 },
          }),
        ],
      }),
    );
    expect(text.indexOf('database')).toBeLessThan(text.indexOf('fine'));
    expect(text).toContain('connect ECONNREFUSED');
    expect(text).toContain('1 of 2 successes until it passes');
  });

  it('E4: without checks and with two hundred', () => {
    expect(draw(diagnosis({ checks: [] }))).not.toContain('last runs');
    const many = Array.from({ length: 200 }, (_, index) => check(`check ${index}`));
    expect(draw(diagnosis({ checks: many })).match(/check \d+ /g)).toHaveLength(200);
  });

  it('E4: hostile texts steer no terminal', () => {
    const text = draw(hostile('\u001B[2J\u001B]0;gone\u0007<b>"\r\n\u202Egnp'));
    // oxlint-disable-next-line eslint/no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
  });

  it('E4: nor does what should be a number or a time', () => {
    const evil = '\u001B[2J\u009B31m';
    const report = diagnosis();
    const { readiness } = report.probes;
    const hostileProbe = { ...readiness, status: 'fail', httpStatus: evil, since: evil } as object;
    const text = draw({
      ...report,
      probes: { ...report.probes, readiness: hostileProbe as typeof readiness },
      timeline: [{ at: evil, kind: 'phase', name: 'phase', to: 'running' }],
    });
    // oxlint-disable-next-line eslint/no-control-regex
    expect(text).not.toMatch(/[\u001B\u009B]/);
  });

  it('E4: colours only where they are wanted, and never alone', () => {
    const coloured = renderDiagnosis(diagnosis(), { paint: createPaint(true), width: 100 });
    expect(coloured).toContain('\u001B[32m');
    expect(coloured).toContain('✓');
    expect(draw()).not.toContain('\u001B');
  });

  it('E4: a sparkline has its highest bar at the top, and is flat for nothing', () => {
    expect(sparkline([0, 5, 10])).toBe('▁▅█');
    expect(sparkline([0, 0])).toBe('▁▁');
    expect(sparkline([])).toBe('');
  });
});
