import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/probe/handler.js';
import { readAnswering, renderMetrics } from '../../src/probe/metrics.js';
import type { ProbeResponse } from '../../src/probe/prepared.js';
import { createRoutes } from '../../src/probe/routes.js';
import { atOnce } from '../../src/probe/pace.js';
import { statusSteps } from '../../src/probe/status-view.js';
import { checkView, startedState } from '../core/probe-state-builders.js';
import { type ModelKit, createModelKit } from './probe-kit.js';

const PATHS = { liveness: ['/livez'], readiness: ['/readyz'], startup: ['/startupz'] };

function handlerOf(kit: ModelKit, evaluate = async () => {}) {
  const handler = createHandler({
    ...kit,
    details: true,
    routes: createRoutes({ paths: PATHS, details: true, status: true }),
    evaluate,
    metrics: (accept) => renderMetrics(kit, accept),
    status: () => atOnce(statusSteps(kit)),
  });
  return (request: Parameters<typeof handler.handle>[0]) => handler.handle(request);
}

function seriesOf(kit: ModelKit): number {
  return renderMetrics(kit)
    .body.split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')).length;
}

function line(kit: ModelKit, start: string): string | undefined {
  return renderMetrics(kit)
    .body.split('\n')
    .find((each) => each.startsWith(start));
}

describe('metrics of the answering side', () => {
  it('O1: 1,000 paths and 1,000 error texts leave the number of series as it was', () => {
    const kit = createModelKit();
    const ask = handlerOf(kit);
    const failing = (text: string): void =>
      kit.publish(
        startedState([
          checkView('database', {
            verdict: 'fail',
            freshUntil: 1e9,
            last: { status: 'fail', code: text, output: text, wallAt: 0, durationMs: 1 },
          }),
        ]),
      );
    failing('first');
    for (const url of ['/livez', '/readyz', '/startupz']) void ask({ url });
    const before = seriesOf(kit);
    for (let index = 0; index < 1000; index += 1) {
      failing(`connection ${index} refused by host-${index}`);
      void ask({ url: `/nowhere/${index}?q=${index}` });
      void ask({ url: `/readyz/${index}` });
      void ask({ url: `/readyz?exclude=check-${index}` });
    }
    expect(before).toBeGreaterThan(70);
    expect(seriesOf(kit)).toBe(before);
  });

  it('O1: counts how long readiness failed, by reason, also without a probe', () => {
    const kit = createModelKit();
    kit.run(500);
    kit.publish(startedState([checkView('database', { verdict: 'fail', freshUntil: 1e9 })]));
    kit.run(100);
    kit.run(2000);
    kit.publish(startedState([checkView('database', { freshUntil: 1e9 })]));
    kit.run(3000);
    expect(line(kit, 'hale_not_ready_seconds_total')).toBe(
      'hale_not_ready_seconds_total{reason="check_failed"} 2.1',
    );
    expect(line(kit, 'hale_probe_status{probe="readiness"}')).toMatch(/ 1$/);
  });

  it('O1: measures how long an answer took, the wait for on-demand checks with it', async () => {
    const kit = createModelKit();
    kit.publish(startedState([], { onDemand: true }));
    const ask = handlerOf(kit, async () => kit.clock.jump(40));
    await ask({ url: '/readyz' });
    void ask({ url: '/livez' });
    const name = 'hale_probe_handler_duration_seconds';
    expect(line(kit, `${name}_sum{probe="readiness"}`)).toMatch(/ 0\.04$/);
    expect(line(kit, `${name}_count{probe="readiness"}`)).toMatch(/ 1$/);
    expect(line(kit, `${name}_bucket{probe="liveness",le="0.00005"}`)).toMatch(/ 1$/);
  });

  it('O1: while the loop stands still the age of the snapshot grows and the probes are live', () => {
    const kit = createModelKit();
    kit.run(1000);
    kit.block(4000);
    kit.model.answer('liveness', kit.clock.now());
    expect(line(kit, 'hale_event_loop_beat_age_seconds')).toMatch(/ 4$/);
    expect(line(kit, 'hale_snapshot_age_seconds')).toMatch(/ 5$/);
    expect(line(kit, 'hale_liveness_failures_total')).toMatch(/ 1$/);
    expect(line(kit, 'hale_probe_status{probe="liveness"}')).toMatch(/ 0$/);
  });

  it.each([
    ['of node:http', { accept: 'application/openmetrics-text' }],
    ['of fetch', new Headers({ accept: 'application/openmetrics-text' })],
  ])('O1: an Accept header %s chooses the format', (_, headers) => {
    const ask = handlerOf(createModelKit());
    const open = ask({ url: '/metrics', headers }) as ProbeResponse;
    expect(open.body.endsWith('\n# EOF\n')).toBe(true);
    expect(open.headers).toContain('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.headers.slice(-2)).toStrictEqual(['Vary', 'Accept']);
    const plain = ask({ url: '/metrics' }) as ProbeResponse;
    expect(plain.headers).toContain('text/plain; version=0.0.4; charset=utf-8');
    expect(plain.body).not.toContain('# EOF');
  });

  it('O1: readings are plain data that can cross to another thread', () => {
    const readings = readAnswering(createModelKit());
    expect(structuredClone(readings)).toStrictEqual(readings);
  });
});
