import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import {
  HEALTH,
  HealthCheckOf,
  type NestInstance,
  attachHealth,
  fromIndicator,
  healthModule,
} from '../../src/frameworks/nest.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';
import { decorate } from '../support/decorate.js';

function setUp() {
  const clock = createManualClock();
  const health = createHealth({
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
    clock,
    env: {},
    logger: createLog().logger,
  });
  return { clock, health };
}

class ModulesContainer extends Map<string, { providers: Instances; controllers: Instances }> {}
type Instances = Map<unknown, NestInstance>;

const wrapped = (instance: unknown, change: Partial<NestInstance> = {}): NestInstance => ({
  name: 'Database',
  instance,
  isTransient: false,
  isDependencyTreeStatic: () => true,
  ...change,
});

interface Hooks {
  onModuleInit(): void;
  onApplicationBootstrap(): void;
  onModuleDestroy(): Promise<void>;
}

/** Does with the module what Nest does. */
function apply(health: ReturnType<typeof setUp>['health'], instances: readonly NestInstance[]) {
  const { providers } = healthModule({ ModulesContainer }, health);
  const container = new ModulesContainer([
    [
      'orders',
      { providers: new Map(instances.map((item, at) => [at, item])), controllers: new Map() },
    ],
  ]);
  const hooks = providers.flatMap((provider) =>
    'useFactory' in provider ? [provider.useFactory(container) as Hooks] : [],
  );
  expect(hooks).toHaveLength(1);
  return hooks[0] as Hooks;
}

class Database {
  up = true;
  async ping(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.up) throw new Error('refused');
  }
}
decorate(Database, 'ping', HealthCheckOf('database', { impact: 'degraded' }) as MethodDecorator);

class Replica extends Database {
  async lag() {
    return { replica: { status: 'down' as const, message: 'behind by 30 s' } };
  }
}
decorate(Replica, 'lag', HealthCheckOf('replica lag', { impact: 'optional' }) as MethodDecorator);

describe('the module for Nest', () => {
  it('S2: holds start-up until the application has started', async () => {
    const { clock, health } = setUp();
    const hooks = apply(health, []);
    await health.start();
    await clock.advance(1);
    expect(health.report().startup).toMatchObject({ complete: false, remaining: ['nest'] });
    hooks.onModuleInit();
    hooks.onApplicationBootstrap();
    await clock.advance(1);
    expect(health.report().startup.complete).toBe(true);
    await health.dispose();
  });

  it('C1: decorated methods are checks, bound to their instance, until it is destroyed', async () => {
    const { clock, health } = setUp();
    const database = new Database();
    // Nest lists an instance under each of its names.
    const hooks = apply(health, [wrapped(database), wrapped(database), wrapped('a value')]);
    await health.start();
    hooks.onModuleInit();
    hooks.onApplicationBootstrap();
    await clock.advance(600);
    expect(health.report().checks).toMatchObject([
      { name: 'database', impact: 'degraded', verdict: 'pass' },
    ]);
    database.up = false;
    await clock.advance(10_000);
    expect(health.report().checks).toMatchObject([{ verdict: 'fail' }]);
    await hooks.onModuleDestroy();
    expect(health.report().checks).toEqual([]);
    await health.dispose();
  });

  it('inherits decorated methods without giving them to the parent', async () => {
    for (const [instance, names] of [
      [new Replica(), ['database', 'replica lag']],
      [new Database(), ['database']],
    ] as const) {
      const { clock, health } = setUp();
      apply(health, [wrapped(instance)]).onModuleInit();
      await health.start();
      await clock.advance(600);
      expect(health.report().checks.map(({ name }) => name)).toEqual(names);
      expect(health.report().checks.at(-1)?.last?.output).toBe(
        names.length === 2 ? 'replica is down: behind by 30 s' : undefined,
      );
      await health.dispose();
    }
  });

  it('refuses what has no one instance, and two checks of one name', () => {
    const refused = (change: Partial<NestInstance>) => () =>
      apply(setUp().health, [wrapped(new Database(), change)]).onModuleInit();
    const message = 'HealthCheckOf needs a provider of default scope, but Database is';
    expect(refused({ isTransient: true })).toThrow(message);
    expect(refused({ isDependencyTreeStatic: () => false })).toThrow(message);
    expect(() =>
      apply(setUp().health, [wrapped(new Database()), wrapped(new Database())]).onModuleInit(),
    ).toThrow(expect.objectContaining({ code: 'HALE_CHECK_EXISTS' }) as Error);
  });

  it('makes health injectable everywhere', () => {
    const { health } = setUp();
    expect(healthModule({ ModulesContainer }, health)).toMatchObject({
      global: true,
      providers: [{ provide: HEALTH, useValue: health }, {}],
      exports: [HEALTH],
    });
  });

  it('says what it needs', () => {
    const { health } = setUp();
    expect(() => attachHealth({} as never, health)).toThrow('a Nest application');
    const server = createServer();
    const app = { getHttpServer: () => server, close: () => Promise.resolve() };
    for (const [options, message] of [
      [{ basePath: 'shop' }, 'basePath'],
      [{ drains: { loadBalancerIdleTimeoutMs: -1 } }, 'loadBalancerIdleTimeoutMs'],
      [null as never, 'attachHealth must be an object'],
    ] as const)
      expect(() => attachHealth(app, health, options)).toThrow(message);
    expect([Object.hasOwn(server, 'emit'), server.eventNames()]).toEqual([
      false,
      createServer().eventNames(),
    ]);
    const standard = HealthCheckOf('database') as unknown as (
      method: unknown,
      context: object,
    ) => void;
    expect(() => standard(() => {}, { kind: 'method' })).toThrow('experimentalDecorators');
  });
});

describe('checks of indicators', () => {
  const signal = new AbortController().signal;
  const up = { status: 'up' } as const;
  const down = (message: string) => ({ status: 'down', message }) as const;

  it('passes when everything is up', async () => {
    expect(await fromIndicator(() => ({ database: up, cache: up }))(signal)).toBeUndefined();
  });

  it('fails with what is down', async () => {
    const run = fromIndicator(async () => ({
      database: down('timeout of 300ms exceeded'),
      cache: up,
      disk: { status: 'down' as const },
    }));
    expect(await run(signal)).toEqual({
      status: 'fail',
      output: 'database is down: timeout of 300ms exceeded; disk is down',
    });
  });

  it('fails with what was thrown, as terminus 10 does', async () => {
    const thrown = Object.assign(new Error('Health Check has failed!'), {
      causes: { database: down('refused') },
    });
    expect(await fromIndicator(() => Promise.reject(thrown))(signal)).toEqual({
      status: 'fail',
      output: 'database is down: refused',
    });
    const other = new Error('no data source');
    await expect(fromIndicator(() => Promise.reject(other))(signal)).rejects.toBe(other);
  });

  it.each([undefined, null, {}, 'up', { database: 'up' }, { database: { status: 'ok' } }])(
    'fails for %j, which says nothing',
    async (answer) => {
      await expect(fromIndicator(() => answer as never)(signal)).rejects.toThrow(
        'without a status',
      );
    },
  );

  it('E7: keeps no secret of what is down', async () => {
    const { clock, health } = setUp();
    health.addCheck(
      'database',
      fromIndicator(() => ({ database: down('postgres://app:hunter2@db/orders') })),
    );
    await health.start();
    await clock.advance(600);
    const [check] = health.report().checks;
    expect(check?.last?.status).toBe('fail');
    expect(JSON.stringify(check)).toContain('database is down');
    expect(JSON.stringify(check)).not.toContain('hunter2');
    await health.dispose();
  });
});
