import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/longest-first.mjs';

const REALTIME = 'test/**/*.realtime.test.ts';
/**
 * Those of them that mostly wait, for servers, time-outs and other processes, and measure nothing that a neighbour would
 * spoil: two at once disturb nobody.
 */
const SERVERS = [
  'test/{checks,cli,contract,examples,frameworks,lease,observe,page,support,testing,types,workers}/**/*.realtime.test.ts',
  'test/engine/{drain,ending,frameworks,rolling-restart,servers}.realtime.test.ts',
  'test/probe/{bundlers,probe-files,systemd}.realtime.test.ts',
  'test/stories/{database-late,hostile-texts,order-takeover,secrets,whole-life}.realtime.test.ts',
];
/** Real servers and real time are at the mercy of the machine. What passes at a second try is named at the end of a run. */
const retry = 1;
const GATES = 'test/gates/**/*.test.ts';
const FIXTURES = 'test/fixtures/**';

/**
 * Shells that exist only around real sockets, threads, brokers, processes and browsers; the real-time tests prove them, where
 * coverage cannot be counted. Everything they decide is decided elsewhere.
 */
const SHELLS = [
  'src/cli/bin.ts',
  'src/page/client/*.ts',
  'src/cli/probe/{ask,ask-file,ask-grpc,command}.ts',
  'src/cli/fleet/{command,page-server}.ts',
  'src/checks/{dns,tcp,tls}.ts',
  'src/engine/tracked-{http2,server}.ts',
  'src/probe/{thread-main,thread-host,run-thread,thread-clock,stderr-log}.ts',
  'src/probe/kill-switch/{kill-main,run-kill-thread,end-process,last-words}.ts',
  'src/probe/{main-stack,native-state,stack-capture}.ts',
  'src/probe/{http-listener,http-exchange,tcp-listener,agent-check-listener}.ts',
  'src/probe/{grpc-listener,grpc-exchange,grpc-services,grpc-watches}.ts',
  'src/probe/{open-listener,listener-plan,probe-server}.ts',
  'src/probe/{probe-outputs,files-at-exit,systemd-transport}.ts',
  'src/testing/fault-proxy*.ts',
  'src/testing/conformance/{expectations,own-sockets,pause,scenarios,stage,timed-run}.ts',
  'src/lease/stores/{consul,etcd,kubernetes,postgres,redis,sqlite,zookeeper}.ts',
  'src/lease/{answer-text,consul-api,etcd-access,etcd-gateway,json-client,kubernetes-api,zookeeper-client}.ts',
  'src/lease/guards/{etcd,redis,s3,sql,sqlite}.ts',
  'src/workers/{amqplib,bullmq}.ts',
];

export default defineConfig({
  test: {
    globals: false,
    passWithNoTests: false,
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.generated.ts', 'examples/**', ...SHELLS],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        lines: 90,
        'src/core/**': { lines: 95, branches: 92 },
      },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [REALTIME, GATES, FIXTURES],
          setupFiles: ['tools/property-seed.mjs'],
          globalSetup: ['tools/vitest-setup.mjs'],
          // By default one core stays free, which is half of a small machine.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'gates',
          include: [GATES],
          exclude: [FIXTURES],
          globalSetup: ['tools/vitest-setup.mjs'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'realtime',
          include: [REALTIME],
          exclude: [FIXTURES, ...SERVERS],
          setupFiles: ['tools/property-seed.mjs'],
          globalSetup: ['tools/vitest-setup.mjs'],
          fileParallelism: false,
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: SERVERS,
          exclude: [FIXTURES],
          setupFiles: ['tools/property-seed.mjs'],
          globalSetup: ['tools/vitest-setup.mjs'],
          maxWorkers: 2,
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          globalSetup: ['tools/vitest-setup.mjs'],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: './tsconfig.json',
            // The type check gate reports those, with every file it looked at.
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
});
