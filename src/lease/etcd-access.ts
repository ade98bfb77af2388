import { OptionError } from '../core/errors.js';
import { httpTarget } from '../core/http-client.js';
import { objectOption, textOption } from '../core/validate.js';
import { type EtcdAccess, EtcdGateway } from './etcd-gateway.js';

/** As whom, and how, an etcd is asked. */
export interface EtcdAccessOptions {
  /** For https. @defaultValue the system's certificates, and none of its own */
  tls?: EtcdAccess['tls'];
  /** Where etcd wants users. @defaultValue none */
  user?: { name: string; password: string };
}

/**
 * The gateway behind one URL, or behind several of one cluster.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function etcdGateway(
  name: string,
  url: string | URL | readonly (string | URL)[],
  { tls = {}, user }: EtcdAccessOptions,
): EtcdGateway {
  return new EtcdGateway({
    targets: targetsOf(`${name}.url`, url),
    tls: objectOption(`${name}.tls`, tls),
    user: user && {
      name: textOption(`${name}.user.name`, user.name),
      password: passwordOption(`${name}.user.password`, user.password),
    },
  });
}

function targetsOf(option: string, url: Parameters<typeof etcdGateway>[1]): EtcdAccess['targets'] {
  const urls = [url].flat() as (string | URL)[];
  const targets = urls.map((each) => httpTarget(option, each));
  const protocols = new Set(targets.map((target) => new URL(target.url).protocol));
  if (protocols.size !== 1)
    throw new OptionError(option, 'URLs of one protocol, at least one', [...protocols]);
  return targets;
}

function passwordOption(option: string, value: unknown): string {
  // The value itself stays out of the error text.
  if (typeof value === 'string' && value !== '') return value;
  throw new OptionError(option, 'a text', typeof value);
}
