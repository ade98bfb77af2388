import type { ExecutionContext, INestApplication } from '@nestjs/common';
import type { HealthIndicatorService, MemoryHealthIndicator } from '@nestjs/terminus';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/core/logger.js';
import { createHealth } from '../../src/create-health.js';
import {
  HEALTH,
  HealthCheckOf,
  attachHealth,
  fromIndicator,
  healthModule,
} from '../../src/frameworks/nest.js';
import type { Health } from '../../src/health.js';
import { ask } from '../contract/framework-kit.js';
import { decorate } from '../support/decorate.js';
import { NEST_MAJORS, type Nest } from '../support/nest.js';
import { eventually } from '../support/program.js';

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function createQuickHealth(): Health {
  const health = createHealth({
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
    env: {},
    logger: silentLogger,
    shutdown: { propagationDelayMs: 50, deadlineMs: 3000 },
    checkDefaults: { intervalMs: 20, failureThreshold: 1, successThreshold: 1 },
  });
  cleanUps.push(() => health.dispose());
  return health;
}

const database = { up: true };
const seen: string[] = [];

/** An indicator as terminus 10 documents it, and 11 still runs: what is down is thrown. */
function throwingIndicator({ common, terminus }: Nest) {
  class DatabaseHealth extends terminus.HealthIndicator {
    isHealthy() {
      const result = this.getStatus('database', database.up, { message: 'refused' });
      if (database.up) return result;
      throw new terminus.HealthCheckError('Database check failed', result);
    }
  }
  common.Injectable()(DatabaseHealth);
  return DatabaseHealth;
}

/** An indicator as terminus 11 documents it: what is down is returned. */
function returningIndicator({ common, terminus }: Nest) {
  class DatabaseHealth {
    constructor(private readonly indicators: HealthIndicatorService) {}
    isHealthy() {
      const indicator = this.indicators.check('database');
      return database.up ? indicator.up() : indicator.down({ message: 'refused' });
    }
  }
  common.Inject(terminus.HealthIndicatorService)(DatabaseHealth, undefined, 0);
  common.Injectable()(DatabaseHealth);
  return DatabaseHealth;
}

function providersOf(nest: Nest, indicator: typeof throwingIndicator | typeof returningIndicator) {
  const { common, terminus } = nest;
  const DatabaseHealth = indicator(nest);
  const check = HealthCheckOf('database', { impact: 'critical' }) as MethodDecorator;
  decorate(DatabaseHealth, 'isHealthy', check);

  class Warehouse {
    constructor(
      readonly health: Health,
      private readonly memory: MemoryHealthIndicator,
    ) {
      health.addCheck('heap', {
        impact: 'degraded',
        run: fromIndicator(() => this.memory.checkHeap('heap', 64 * 1024 ** 3)),
      });
      health.addCheck('small heap', {
        impact: 'optional',
        run: fromIndicator(() => this.memory.checkHeap('heap', 1)),
      });
    }
    onModuleDestroy(): void {
      seen.push('onModuleDestroy');
    }
  }
  common.Inject(HEALTH)(Warehouse, undefined, 0);
  common.Inject(terminus.MemoryHealthIndicator)(Warehouse, undefined, 1);
  common.Injectable()(Warehouse);
  return [DatabaseHealth, Warehouse];
}

async function startApp(
  nest: Nest,
  health: Health,
  indicator: typeof throwingIndicator | typeof returningIndicator = throwingIndicator,
): Promise<INestApplication> {
  const { common, core, terminus } = nest;
  class AppModule {}
  const providers = providersOf(nest, indicator);
  const imports = [healthModule(core, health), terminus.TerminusModule];
  common.Module({ imports, providers })(AppModule);
  await health.start();
  const app = await core.NestFactory.create(AppModule, { logger: false, abortOnError: false });
  cleanUps.push(() => app.close());
  app.setGlobalPrefix('api');
  app.useGlobalGuards({ canActivate: (context: ExecutionContext) => context === undefined });
  attachHealth(app, health);
  await app.listen(0, '127.0.0.1');
  return app;
}

function portOf(app: INestApplication): number {
  const { port } = app.getHttpServer().address() as { port: number };
  return port;
}

const INDICATORS: readonly (readonly [
  string,
  Nest,
  typeof throwingIndicator | typeof returningIndicator,
])[] = NEST_MAJORS.flatMap((nest) => [
  [`${nest.major}, indicators that throw`, nest, throwingIndicator] as const,
  ...(nest.major === '10'
    ? []
    : [[`${nest.major}, indicators that return`, nest, returningIndicator] as const]),
]);

describe.each(INDICATORS)('the module in Nest %s', (_name, nest, indicator) => {
  it('C1, E5: injects health, checks by decorated methods and indicators, answers before guards and prefix', async () => {
    database.up = true;
    const health = createQuickHealth();
    const port = portOf(await startApp(nest, health, indicator));
    await health.untilReady();
    await eventually('every outcome', () =>
      health.report().checks.every(({ last }) => last !== undefined) ? true : undefined,
    );
    const checks = Object.fromEntries(
      health.report().checks.map(({ name, last }) => [name, [last?.status, last?.output]]),
    );
    expect(checks).toMatchObject({
      database: ['pass', undefined],
      heap: ['pass', undefined],
      'small heap': ['fail', expect.stringMatching(/^heap is down: Used heap exceeded/)],
    });
    expect((await ask(port, '/readyz')).status).toBe(200);
    database.up = false;
    const failing = await eventually('503', async () => {
      const answer = await ask(port, '/readyz');
      return answer.status === 503 ? answer : undefined;
    });
    expect(JSON.parse(failing.text)).toMatchObject({ reason: 'check_failed:database' });
    const down = health.report().checks.find(({ name }) => name === 'database');
    expect(down?.last?.output).toBe('database is down: refused');
  });
});

describe.each(NEST_MAJORS)('the module in Nest $major', (nest) => {
  it('S2, D1: start-up waits for the application, and the drain closes it', async () => {
    database.up = true;
    seen.length = 0;
    const health = createQuickHealth();
    const starting = startApp(nest, health);
    expect(health.report().startup).toMatchObject({ complete: false, remaining: ['nest'] });
    await starting;
    await health.untilReady();
    expect(await health.shutdown('test')).toMatchObject({ exitCode: 0 });
    expect(seen).toEqual(['onModuleDestroy']);
  });

  it('refuses a decorated method of a request-scoped provider', async () => {
    const { common, core } = nest;
    const health = createQuickHealth();
    class Scoped {
      ping(): void {}
    }
    common.Injectable({ scope: common.Scope.REQUEST })(Scoped);
    decorate(Scoped, 'ping', HealthCheckOf('scoped') as MethodDecorator);
    class AppModule {}
    common.Module({ imports: [healthModule(core, health)], providers: [Scoped] })(AppModule);
    const app = await core.NestFactory.create(AppModule, { logger: false, abortOnError: false });
    cleanUps.push(() => app.close());
    await expect(app.init()).rejects.toThrow('but Scoped is request-scoped');
  });
});
