// usage: node consul-server.mjs PORT FOLDER SESSION_TTL_MIN_MS [TOKEN], as much of Consul as leases need: sessions with a
// ttl, keys that they lock, transactions. Written after the state store of Consul (kvs.go, txn.go, session_ttl.go).
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** @typedef {{ Key: string, Value: string | null, Flags: number, LockIndex: number, CreateIndex: number, ModifyIndex: number, Session?: string }} Pair */
/** @typedef {{ ID: string, Name: string, TTL: string, Behavior: string, LockDelay: string, NodeChecks: string[] }} Session */
/** @typedef {[number, unknown] | [number, unknown, Record<string, string>]} Answer */

const [port, folder, minimum = '10000', token = ''] = process.argv.slice(2);
const FILE = `${folder}/state.json`;
/** Consul lets a session live for twice its ttl. */
const MULTIPLIER = 2;

/** @type {{ index: number, pairs: Record<string, Pair>, sessions: Record<string, Session> }} */
const state = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, 'utf8'))
  : { index: 10, pairs: {}, sessions: {} };
/** @type {Map<string, NodeJS.Timeout>} */
const timers = new Map();

function save() {
  writeFileSync(`${FILE}.next`, JSON.stringify(state));
  renameSync(`${FILE}.next`, FILE);
}

/** @param {string} text */
function durationMs(text) {
  const [, digits, unit = ''] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const units = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 });
  return Number(digits) * (units[unit] ?? Number.NaN);
}

/** @param {Session} session */
function startTimer({ ID, TTL }) {
  clearTimeout(timers.get(ID));
  timers.set(
    ID,
    setTimeout(() => destroy(ID), MULTIPLIER * durationMs(TTL)),
  );
}

/** @param {string} id */
function destroy(id) {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const session = state.sessions[id];
  if (session === undefined) return;
  delete state.sessions[id];
  state.index += 1;
  for (const [key, pair] of Object.entries(state.pairs)) {
    if (pair.Session !== id) continue;
    if (session.Behavior === 'delete') delete state.pairs[key];
    else state.pairs[key] = { ...pair, Session: '', ModifyIndex: state.index };
  }
  save();
}

/**
 * @param {string} text
 * @returns {Answer}
 */
function createSession(text) {
  const asked = JSON.parse(text);
  const ttlMs = durationMs(asked.TTL);
  if (!(ttlMs >= Number(minimum) && ttlMs <= 86_400_000))
    return [400, `Invalid Session TTL '${ttlMs * 1e6}', must be between [${minimum}ms=24h0m0s]`];
  // Consul adds the health of its node when it is asked for no checks; it must be told that there are to be none.
  if (!Array.isArray(asked.NodeChecks) || asked.NodeChecks.length > 0)
    return [500, `Missing check 'serfHealth' registration`];
  if (durationMs(asked.LockDelay) !== 0) return [500, 'delays of locks are not played here'];
  const session = { ...asked, ID: randomUUID() };
  state.sessions[session.ID] = session;
  state.index += 1;
  save();
  startTimer(session);
  return [200, { ID: session.ID }];
}

/**
 * One operation on a copy of the keys; a text is why it failed.
 * @param {Record<string, Pair>} pairs
 * @param {{ Verb: string, Key: string, Session?: string, Value?: string | null }} operation
 * @returns {Pair | string}
 */
function operate(pairs, { Verb, Key, Session = '', Value = null }) {
  const before = pairs[Key];
  const held = before?.Session || '';
  const CreateIndex = before?.CreateIndex ?? state.index + 1;
  const next = { Key, Value, Flags: 0, CreateIndex, ModifyIndex: state.index + 1 };
  if (Verb === 'check-session') {
    if (before === undefined) return `failed to check session, key "${Key}" doesn't exist`;
    if (held === Session) return before;
    return `failed session check for key "${Key}", current session "${held}" != "${Session}"`;
  }
  if (Verb === 'lock') {
    if (state.sessions[Session] === undefined) return `invalid session "${Session}"`;
    if (held !== '' && held !== Session) return `failed to lock key "${Key}", lock is already held`;
    const LockIndex = (before?.LockIndex ?? 0) + (held === Session ? 0 : 1);
    if (held === Session && before?.Value === Value) return before;
    return { ...next, Session, LockIndex };
  }
  if (Verb === 'unlock') {
    if (before === undefined || held !== Session)
      return `failed to unlock key "${Key}", lock isn't held, or is held by another session`;
    return { ...next, Session: '', LockIndex: before.LockIndex };
  }
  // Whatever is no lock keeps the session and forgets how often the key was locked.
  if (Verb === 'set') return { ...next, Session: held, LockIndex: 0 };
  return `unknown KV verb "${Verb}"`;
}

/**
 * @param {string} text
 * @returns {Answer}
 */
function transact(text) {
  const pairs = { ...state.pairs };
  const results = [];
  for (const [index, { KV: operation }] of JSON.parse(text).entries()) {
    const outcome = operate(pairs, operation);
    if (typeof outcome === 'string')
      return [409, { Results: null, Errors: [{ OpIndex: index, What: outcome }] }];
    pairs[operation.Key] = outcome;
    // Writes come back without their values.
    results.push({
      KV: operation.Verb === 'check-session' ? outcome : { ...outcome, Value: null },
    });
  }
  state.index += 1;
  state.pairs = pairs;
  save();
  return [200, { Results: results, Errors: null }];
}

/**
 * @param {string} key
 * @param {URLSearchParams} query
 * @returns {Answer}
 */
function read(key, query) {
  const isOne = !query.has('recurse');
  const keys = Object.keys(state.pairs).filter((each) =>
    isOne ? each === key : each.startsWith(key),
  );
  const pairs = keys.toSorted().map((each) => state.pairs[each]);
  const headers = { 'x-consul-index': String(state.index), 'x-consul-knownleader': 'true' };
  return pairs.length === 0 ? [404, '', headers] : [200, pairs, headers];
}

/**
 * @param {string} key
 * @param {URLSearchParams} query
 * @param {string} text
 * @returns {Answer}
 */
function write(key, query, text) {
  const verbs = { acquire: 'lock', release: 'unlock' };
  const flag = /** @type {keyof typeof verbs | undefined} */ (
    Object.keys(verbs).find((each) => query.has(each))
  );
  const Verb = flag === undefined ? 'set' : verbs[flag];
  const Session = flag === undefined ? '' : (query.get(flag) ?? '');
  const Value = Buffer.from(text).toString('base64');
  return [200, transact(JSON.stringify([{ KV: { Verb, Key: key, Session, Value } }]))[0] === 200];
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} text
 * @returns {Answer}
 */
function answer({ method, url = '', headers }, text) {
  const { pathname, searchParams } = new URL(url, 'http://agent');
  const path = decodeURIComponent(pathname);
  if (token !== '' && headers['x-consul-token'] !== token)
    return [403, 'Permission denied: token lacks permission'];
  const [, what = '', rest = ''] = /^\/v1\/(kv|txn|session\/\w+)\/?(.*)$/.exec(path) ?? [];
  if (what === 'kv' && !/^[\w,./-]+$/.test(rest)) return [400, 'key contains invalid character'];
  if (what === 'kv' && method === 'GET') return read(rest, searchParams);
  if (method !== 'PUT') return [405, `method ${method} not allowed`];
  if (what === 'kv') return write(rest, searchParams, text);
  if (what === 'txn') return transact(text);
  if (what === 'session/create') return createSession(text);
  if (what === 'session/destroy') {
    destroy(rest);
    return [200, true];
  }
  const session = state.sessions[rest];
  if (what !== 'session/renew') return [404, ''];
  if (session === undefined) return [404, `Session id '${rest}' not found`];
  startTimer(session);
  return [200, [session]];
}

// A leader begins all times anew.
for (const session of Object.values(state.sessions)) startTimer(session);

createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const [code, body, headers = {}] = answer(request, text);
    response.writeHead(code, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}).listen(Number(port), '127.0.0.1');
