import { OptionError } from '../core/errors.js';
import { type HttpTarget, httpTarget } from '../core/http-client.js';
import { textOption } from '../core/validate.js';
import type { KubernetesAccess } from './kubernetes-api.js';

/** How to reach an API server. Without `server`, everything is the pod's own. */
export interface KubernetesAccessOptions {
  /** The https URL of the API server. @defaultValue the cluster this process runs in */
  server?: string | URL;
  /** Where the Lease objects are. @defaultValue the pod's namespace */
  namespace?: string;
  /** PEM text of the certificates that are trusted. @defaultValue the cluster's, with `server` the system's */
  ca?: string;
  /** PEM text of a client certificate. @defaultValue none */
  cert?: string;
  /** PEM text of its private key. */
  key?: string;
  /** A bearer token that never changes. @defaultValue none */
  token?: string;
  /**
   * A file with a bearer token, which is read anew for each request. @defaultValue that of the pod's service account,
   * with `server` none
   */
  tokenFile?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @throws OptionError naming the option, the accepted range and the value got; never the value of a secret */
export function kubernetesAccess(
  name: string,
  options: KubernetesAccessOptions,
  folder = SERVICE_ACCOUNT,
): KubernetesAccess {
  const { server, cert, key, ca, token, tokenFile } = options;
  const isOwn = server === undefined;
  for (const secret of ['ca', 'cert', 'key', 'token'] as const)
    secretOption(`${name}.${secret}`, options[secret]);
  if ((cert === undefined) !== (key === undefined))
    throw new OptionError(`${name}.key`, 'a key with each cert, and the other way round', 'one');
  const file = tokenFile ?? (isOwn && token === undefined ? `${folder}/token` : undefined);
  if (file !== undefined) textOption(`${name}.tokenFile`, file);
  return {
    target: isOwn ? ownServer(name) : serverOption(`${name}.server`, server),
    namespace: textOption(`${name}.namespace`, options.namespace ?? ownNamespace(name, folder)),
    tls: () => ({
      ...(ca === undefined ? isOwn && { ca: readText(`${folder}/ca.crt`) } : { ca }),
      ...(cert !== undefined && key !== undefined && { cert, key }),
    }),
    token: () => token ?? (file === undefined ? undefined : readText(file).trim()),
  };
}

function serverOption(option: string, value: string | URL): HttpTarget {
  const target = httpTarget(option, value);
  // Everything that is sent is sent with a credential.
  if (!target.url.startsWith('https:')) throw new OptionError(option, 'an https URL', target.label);
  return target;
}

function ownServer(name: string): HttpTarget {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '')
    throw new OptionError(
      `${name}.server`,
      'a URL outside of a cluster, where KUBERNETES_SERVICE_HOST is not set',
      undefined,
    );
  return httpTarget(`${name}.server`, `https://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

function ownNamespace(name: string, folder: string): string {
  try {
    return readText(`${folder}/namespace`).trim();
  } catch {
    const accepted = 'a namespace outside of a pod with a service account';
    throw new OptionError(`${name}.namespace`, accepted, undefined);
  }
}

function secretOption(option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw new OptionError(option, 'a text', typeof value);
}

/** At once: the files are small and in memory, and a thread pool that is busy must not delay a renewal. */
function readText(file: string): string {
  return process.getBuiltinModule('node:fs').readFileSync(file, 'utf8');
}
