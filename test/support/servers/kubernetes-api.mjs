// usage: node kubernetes-api.mjs PORT FOLDER, as much of an API server as Leases need, in a process of its own.
// It follows what kube-apiserver was seen to do; the contract runs against both, see kubernetes.realtime.test.ts.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';

/** @typedef {{ metadata: Record<string, any>, spec?: Record<string, any>, [more: string]: any }} Lease */

const [port, folder] = process.argv.slice(2);
const [key, cert, token] = ['key.pem', 'cert.pem', 'token'].map((name) =>
  readFileSync(`${folder}/${name}`, 'utf8'),
);
const JOURNAL = `${folder}/journal`;
const BASE = '/apis/coordination.k8s.io/v1/namespaces/';
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** @type {Map<string, Lease>} */
const leases = new Map();
let revision = 100;
if (existsSync(JOURNAL))
  for (const line of readFileSync(JOURNAL, 'utf8').split('\n').filter(Boolean))
    keep(JSON.parse(line));

/** @param {Lease} lease */
function keep(lease) {
  leases.set(`${lease.metadata.namespace}/${lease.metadata.name}`, lease);
  revision = Math.max(revision, Number(lease.metadata.resourceVersion));
}

/** @param {Lease} lease */
function commit(lease) {
  lease.metadata.resourceVersion = String(revision + 1);
  keep(lease);
  appendFileSync(JOURNAL, `${JSON.stringify(lease)}\n`);
  return lease;
}

/**
 * @param {number} code
 * @param {string} reason
 * @param {string} message
 * @returns {[number, object]}
 */
function status(code, reason, message, name = '') {
  const details = { name, group: 'coordination.k8s.io', kind: 'leases' };
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return [code, { ...body, message, reason, details, code }];
}

/**
 * What validation refuses.
 * @param {Lease} lease
 */
function invalid({ metadata, spec = {} }) {
  if (!NAME.test(metadata.name) || metadata.name.length > 253) return 'metadata.name';
  if (spec.leaseDurationSeconds !== undefined && !(spec.leaseDurationSeconds > 0))
    return 'spec.leaseDurationSeconds';
  if (!(spec.leaseTransitions >= 0 && spec.leaseTransitions < 2 ** 31))
    return 'spec.leaseTransitions';
  for (const time of ['acquireTime', 'renewTime'])
    if (spec[time] !== undefined && !MICRO_TIME.test(spec[time])) return `spec.${time}`;
  return undefined;
}

/** @param {Lease} lease */
const content = ({ metadata: { resourceVersion: _, ...metadata }, spec }) =>
  JSON.stringify([metadata, spec]);

/**
 * @param {string} namespace
 * @param {Lease} lease
 */
function create(namespace, lease) {
  const { name } = lease.metadata;
  const field = invalid(lease);
  if (field !== undefined) return status(422, 'Invalid', `${field} is invalid`, name);
  if (leases.has(`${namespace}/${name}`))
    return status(409, 'AlreadyExists', `leases "${name}" already exists`, name);
  const creationTimestamp = new Date().toISOString();
  const metadata = { ...lease.metadata, namespace, uid: `uid-${revision}`, creationTimestamp };
  return /** @type {[number, object]} */ ([201, commit({ ...lease, metadata })]);
}

/**
 * @param {Lease | undefined} before
 * @param {Lease} lease
 */
function replace(before, lease) {
  const { name, resourceVersion } = lease.metadata;
  if (before === undefined) return missing(name);
  const field = invalid(lease) ?? (resourceVersion ? undefined : 'metadata.resourceVersion');
  if (field !== undefined) return status(422, 'Invalid', `${field} is invalid`, name);
  if (resourceVersion !== before.metadata.resourceVersion)
    return status(409, 'Conflict', `the object "${name}" has been modified`, name);
  const { namespace, uid, creationTimestamp } = before.metadata;
  const metadata = { ...lease.metadata, namespace, uid, creationTimestamp };
  const after = { ...lease, metadata };
  // What changes nothing keeps the revision.
  return /** @type {[number, object]} */ ([
    200,
    content(after) === content(before) ? before : commit(after),
  ]);
}

/** @param {string} name */
const missing = (name) => status(404, 'NotFound', `leases "${name}" not found`, name);

/**
 * @param {string} namespace
 * @param {URLSearchParams} query
 */
function list(namespace, query) {
  const wanted = query.get('labelSelector')?.split('=') ?? [];
  const items = [...leases.values()]
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter(({ metadata }) => wanted.length < 2 || metadata.labels?.[wanted[0] ?? ''] === wanted[1])
    .toSorted((one, two) => (one.metadata.name < two.metadata.name ? -1 : 1));
  const metadata = { resourceVersion: String(revision) };
  return [200, { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata, items }];
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} text
 */
function answer({ method, url = '', headers }, text) {
  const { pathname, searchParams } = new URL(url, 'https://server');
  if (headers.authorization !== `Bearer ${token}`)
    return status(401, 'Unauthorized', 'Unauthorized');
  if (!pathname.startsWith(BASE)) return [404, '404 page not found'];
  const [namespace = '', resource, name] = pathname.slice(BASE.length).split('/');
  if (resource !== 'leases') return [404, '404 page not found'];
  if (namespace !== 'default') return status(403, 'Forbidden', 'leases is forbidden');
  if (name === undefined && method === 'GET') return list(namespace, searchParams);
  if (name === undefined && method === 'POST') return create(namespace, JSON.parse(text));
  if (name === undefined) return status(405, 'MethodNotAllowed', 'method not allowed');
  const lease = leases.get(`${namespace}/${name}`);
  if (method === 'GET') return lease === undefined ? missing(name) : [200, lease];
  if (method === 'PUT') return replace(lease, JSON.parse(text));
  return status(403, 'Forbidden', `leases "${name}" is forbidden: cannot ${method}`, name);
}

createServer({ key, cert }, (request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const [code, body] = answer(request, text);
    const isText = typeof body === 'string';
    response.writeHead(/** @type {number} */ (code), {
      'content-type': isText ? 'text/plain' : 'application/json',
    });
    response.end(isText ? body : JSON.stringify(body));
  });
}).listen(Number(port), '127.0.0.1');
