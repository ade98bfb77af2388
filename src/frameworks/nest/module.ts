import type { Check } from '../../core/check.js';
import { HaleError } from '../../core/errors.js';
import type { StartupTask } from '../../engine/startup-tasks.js';
import { type CheckMethod, type DecoratedCheck, decoratedChecks } from './decorator.js';
import { checkReturnOf, indicated } from './indicator.js';

/** The token that injects `health`: `constructor(@Inject(HEALTH) private readonly health: Health)`. */
export const HEALTH = Symbol.for('hale.health');

/** What {@link healthModule} uses of `Health`. */
export interface ModuleHealth {
  addCheck(name: string, check: Check): void;
  removeCheck(name: string): Promise<void>;
  startupTask(name: string): StartupTask;
}

/** What Nest knows of one provider, controller or module: an `InstanceWrapper` of 10 and 11. */
export interface NestInstance {
  readonly name: string;
  readonly instance: unknown;
  readonly isTransient: boolean;
  isDependencyTreeStatic(): boolean;
}

/** What Nest knows of one module. */
export interface NestModule {
  readonly providers: ReadonlyMap<unknown, NestInstance>;
  readonly controllers: ReadonlyMap<unknown, NestInstance>;
}

/** The `ModulesContainer` of Nest. */
export interface NestModules {
  values(): Iterable<NestModule>;
}

/** What {@link healthModule} uses of `@nestjs/core`; `import { ModulesContainer } from '@nestjs/core'`. */
export interface NestCore {
  readonly ModulesContainer: abstract new (...args: never[]) => NestModules;
}

/** A dynamic module, as `imports` takes it. */
export interface HealthDynamicModule {
  readonly module: new () => object;
  readonly global: true;
  readonly providers: NestProvider[];
  readonly exports: symbol[];
}

type NestProvider =
  | { readonly provide: symbol; readonly useValue: unknown }
  | {
      readonly provide: symbol;
      readonly inject: NestCore['ModulesContainer'][];
      readonly useFactory: (modules: NestModules) => object;
    };

/**
 * Creates the module that makes `health` injectable everywhere (token {@link HEALTH}), turns methods decorated with
 * `HealthCheckOf` into checks when the application starts, and holds start-up (task `nest`) until it has. Create it
 * before `health.start()`. Applying it fails with HaleError `HALE_CHECK_EXISTS` when two checks have one name, and with
 * `HALE_STATE` when a decorated method belongs to a request-scoped or transient provider, of which there is no one
 * instance to ask.
 */
export function healthModule(
  { ModulesContainer }: NestCore,
  health: ModuleHealth,
): HealthDynamicModule {
  const booted = health.startupTask('nest');
  return {
    module: class HealthModule {},
    global: true,
    providers: [
      { provide: HEALTH, useValue: health },
      {
        provide: Symbol('hale.checks'),
        inject: [ModulesContainer],
        useFactory: (modules) => new DecoratedChecks(health, modules, booted),
      },
    ],
    exports: [HEALTH],
  };
}

/** Follows the life of the application by the hooks that Nest calls by their names. */
class DecoratedChecks {
  readonly #health: ModuleHealth;
  readonly #modules: NestModules;
  readonly #booted: StartupTask;
  readonly #added = new Set<string>();

  constructor(health: ModuleHealth, modules: NestModules, booted: StartupTask) {
    this.#health = health;
    this.#modules = modules;
    this.#booted = booted;
  }

  onModuleInit(): void {
    for (const instance of decoratedInstances(this.#modules))
      for (const decorated of decoratedChecks(instance)) {
        this.#health.addCheck(decorated.name, checkOf(instance, decorated));
        this.#added.add(decorated.name);
      }
  }

  onApplicationBootstrap(): void {
    this.#booted.done();
  }

  /** What the checks look at is closed next, which says nothing about it. */
  async onModuleDestroy(): Promise<void> {
    // One whose removal is refused, such as a member of a group, stays.
    await Promise.allSettled(Array.from(this.#added, (name) => this.#health.removeCheck(name)));
    this.#added.clear();
  }
}

/** Each instance once, however many names it is provided under. */
function decoratedInstances(modules: NestModules): ReadonlySet<object> {
  const found = new Set<object>();
  for (const { providers, controllers } of modules.values())
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      const { instance } = wrapper;
      if (!isObject(instance) || decoratedChecks(instance).length === 0) continue;
      refuseShortLived(wrapper);
      found.add(instance);
    }
  return found;
}

function refuseShortLived(wrapper: NestInstance): void {
  if (!wrapper.isTransient && wrapper.isDependencyTreeStatic()) return;
  throw new HaleError(
    'HALE_STATE',
    `HealthCheckOf needs a provider of default scope, but ${wrapper.name} is request-scoped or transient, or depends on one that is`,
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function checkOf(instance: object, { method, options }: DecoratedCheck): Check {
  return {
    ...options,
    async run(signal) {
      const bound = (instance as Record<string | symbol, CheckMethod | undefined>)[method];
      return checkReturnOf(await indicated(() => bound?.call(instance, signal)), false);
    },
  };
}
