import { createCapacity } from './capacity.js';
import {
  type Environment,
  type EnvironmentName,
  numberSetting,
  numberVariable,
  textSetting,
} from './environment.js';
import type { HealthOptions, ProbeListenerOptions } from './health-options.js';
import type { PortOptions, ProbeOptions } from './probe-options.js';
import { integerOption, objectOption, textOption } from './validate.js';

type Protocol = 'tcp' | 'agentCheck' | 'grpc';

const VARIABLES = {
  tcp: 'HALE_TCP_PORT',
  agentCheck: 'HALE_AGENT_CHECK_PORT',
  grpc: 'HALE_GRPC_PORT',
} as const satisfies Record<Protocol, EnvironmentName>;

/**
 * Completes the listeners for other protocols than HTTP; each exists only when its option or its variable asks for it.
 * @throws OptionError on a value outside its range.
 */
export function resolveProtocols(
  options: Pick<HealthOptions, 'capacity'>,
  probes: ProbeListenerOptions,
  env: Environment,
): Pick<ProbeOptions, Protocol> {
  const tcp = portOf('tcp', probes, env);
  const agentCheck = portOf('agentCheck', probes, env);
  const grpc = portOf('grpc', probes, env);
  const { capacity } = options;
  const load = capacity === undefined ? {} : { fullAt: createCapacity(capacity).leaveAt };
  return {
    ...(tcp === undefined ? {} : { tcp }),
    ...(agentCheck === undefined ? {} : { agentCheck: { ...agentCheck, ...load } }),
    ...(grpc === undefined ? {} : { grpc }),
  };
}

/**
 * Returns `value` if it is a port, or 0 for a free one.
 * @throws OptionError naming the option and the value got.
 */
export function portOption(option: string, value: unknown): number {
  return integerOption(option, value, { min: 0, max: 65_535 });
}

function portOf(
  protocol: Protocol,
  probes: ProbeListenerOptions,
  env: Environment,
): PortOptions | undefined {
  const given = probes[protocol];
  const variable = VARIABLES[protocol];
  if (given === undefined && numberVariable(env, variable) === undefined) return undefined;
  const { port, host } = objectOption<{ port?: number; host?: string }>(
    `probes.${protocol}`,
    given ?? {},
  );
  const shared = textSetting(env, 'HALE_HOST', probes.host, (_, value) => value);
  const at = host === undefined ? shared : textOption(`probes.${protocol}.host`, host);
  return {
    ...(typeof at === 'string' ? { host: at } : {}),
    port: numberSetting(env, variable, port, portOption),
  };
}
