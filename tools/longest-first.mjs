import { BaseSequencer } from 'vitest/node';

/**
 * Files of 40 s and more, the longest first: begun last, such a file would run on alone while the other worker has
 * nothing left. vitest knows durations only where it has run before, and sorts by size otherwise.
 */
const LONG = [
  'test/engine/rolling-restart.realtime.test.ts',
  'test/checks/mongodb.realtime.test.ts',
  'test/stories/whole-life.realtime.test.ts',
  'test/checks/orm-conformance.realtime.test.ts',
  'test/checks/network-conformance.realtime.test.ts',
  'test/checks/amqplib.realtime.test.ts',
  'test/page/page.realtime.test.ts',
  'test/observe/alerting.realtime.test.ts',
  'test/checks/redis-conformance.realtime.test.ts',
  'test/checks/redis-cluster.realtime.test.ts',
];

/** @param {import('vitest/node').TestSpecification} file */
function rank({ moduleId }) {
  const index = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
  return index < 0 ? LONG.length : index;
}

export class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
