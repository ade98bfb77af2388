import { OptionError } from '../../core/errors.js';
import { httpServersOf, prefixOf } from './lease-url.js';
import type { Opener } from './load-client.js';

export const etcd: Opener = async (url) => {
  const { etcdLease } = await import('../stores/etcd.js');
  const { urls, user } = httpServersOf(url);
  return etcdLease(urls, { ...prefixOf(url), ...(user === undefined ? {} : { user }) });
};

/** What stands before the `@`, without a name, is the ACL token. */
export const consul: Opener = async (url) => {
  const { consulLease } = await import('../stores/consul.js');
  const { urls, user } = httpServersOf(url);
  const [first = '', more] = urls;
  if (more !== undefined) throw new OptionError('leaseUrl', 'the URL of one agent', urls.length);
  if (user === undefined) return consulLease(first, prefixOf(url));
  if (user.name !== '')
    throw new OptionError('leaseUrl', 'consul+http://:token@host, without a user name', 'one');
  return consulLease(first, { ...prefixOf(url), token: user.password });
};

/** The namespace, or nothing for the pod's own. */
export const kubernetes: Opener = async (url) => {
  const { kubernetesLease } = await import('../stores/kubernetes.js');
  const namespace = url.rest.replace(/^\/\//, '').split('?', 1)[0] ?? '';
  return kubernetesLease({ ...prefixOf(url), ...(namespace === '' ? {} : { namespace }) });
};
