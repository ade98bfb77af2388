import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { driverPool, isTurnedAway } from '../../src/core/driver-pool.js';
import { severConnection } from '../../src/core/sever.js';

function pgPool() {
  const state = {
    totalCount: 3,
    idleCount: 1,
    waitingCount: 0,
    options: { max: 4 },
    ending: false,
  };
  return Object.assign(new EventEmitter(), state);
}

function mysqlPool() {
  return Object.assign(new EventEmitter(), {
    _allConnections: { length: 3 },
    _freeConnections: { length: 1 },
    _connectionQueue: { length: 0 },
    _closed: false,
    config: { connectionLimit: 4 },
  });
}

function tarnPool(pendingAcquires = 0) {
  return Object.assign(new EventEmitter(), {
    numUsed: () => 1,
    numFree: () => 1,
    numPendingAcquires: () => pendingAcquires,
    numPendingCreates: () => 1,
    max: 4,
    destroyed: false,
  });
}

describe('driverPool', () => {
  it.each([
    ['pg', pgPool],
    ['mysql2', mysqlPool],
    ['tarn', tarnPool],
  ])(
    'C7: reads a pool of %s, also inside of another object, and hears what comes back',
    (_, create) => {
      for (const isWrapped of [false, true]) {
        const pool = create();
        const read = driverPool(isWrapped ? { pool } : pool);
        expect(read?.read()).toEqual({ total: 3, idle: 1, waiting: 0, max: 4 });
        let returns = 0;
        const stop = read?.listen(() => (returns += 1));
        pool.emit('release');
        expect(returns).toBe(1);
        stop?.();
        pool.emit('release');
        expect(returns).toBe(1);
        expect(pool.eventNames()).toEqual([]);
      }
    },
  );

  it('knows when a pool has been ended', () => {
    expect(driverPool(Object.assign(pgPool(), { ending: true }))?.read()).toBeUndefined();
    expect(driverPool(Object.assign(mysqlPool(), { _closed: true }))?.read()).toBeUndefined();
    expect(driverPool(Object.assign(tarnPool(), { destroyed: true }))?.read()).toBeUndefined();
  });

  it('C8: mysql2 tells of no connection that goes to the next in the queue: what left the queue is counted', () => {
    const pool = mysqlPool();
    pool._connectionQueue.length = 5;
    let returns = 0;
    const read = driverPool(pool);
    read?.listen(() => (returns += 1));
    read?.read();
    expect(returns).toBe(0);
    // One is served, another comes: the length is the same.
    pool.emit('enqueue');
    read?.read();
    expect(returns).toBe(1);
    read?.read();
    expect(returns).toBe(1);
    pool.emit('enqueue');
    pool._connectionQueue.length += 1;
    read?.read();
    expect(returns).toBe(1);
  });

  it('takes what the driver takes when no size is given', () => {
    expect(driverPool(Object.assign(pgPool(), { options: {} }))?.read()?.max).toBe(10);
    expect(driverPool(Object.assign(mysqlPool(), { config: {} }))?.read()?.max).toBe(10);
    const unlimited = Object.assign(mysqlPool(), { config: { connectionLimit: 0 } });
    expect(driverPool(unlimited)?.read()?.max).toBe(Infinity);
  });

  it('tarn: whoever a connection is being opened for does not wait for those of others', () => {
    expect(driverPool(tarnPool(1))?.read()?.waiting).toBe(0);
    expect(driverPool(tarnPool(3))?.read()?.waiting).toBe(2);
  });

  it('deduces returns on a pool without events', () => {
    const pool = { totalCount: 1, idleCount: 1, waitingCount: 0 };
    expect(driverPool(pool)?.listen(() => {})).toBeUndefined();
    const queue = { length: 0 };
    const quiet = { _allConnections: queue, _freeConnections: queue, _connectionQueue: queue };
    expect(driverPool(quiet)?.listen(() => {})).toBeUndefined();
  });

  it('does not know anything else', () => {
    const circle: { pool?: unknown } = {};
    circle.pool = circle;
    for (const each of [undefined, null, 7, {}, { pool: {} }, circle]) {
      expect(driverPool(each)).toBeUndefined();
    }
  });
});

describe('isTurnedAway', () => {
  it('C8: knows the words of the pools, also as the cause of an error, and not those of the server', () => {
    const byPg = new Error('timeout exceeded when trying to connect');
    const byMysql = new Error('Queue limit reached.');
    for (const each of [byPg, byMysql, new Error('query failed', { cause: byPg })]) {
      expect(isTurnedAway(each)).toBe(true);
    }
    const others = ['connect ETIMEDOUT', 'Connection terminated due to connection timeout'];
    for (const each of [...others, undefined]) expect(isTurnedAway(each)).toBe(false);
  });
});

describe('severConnection', () => {
  it('destroys the sockets of each driver, and leaves alone what has none', () => {
    const destroyed: string[] = [];
    const destroy = (name: string) => ({ destroy: () => destroyed.push(name) });
    severConnection({ connection: { stream: destroy('pg') } });
    severConnection({ ...destroy('mysql2'), stream: destroy('socket of mysql2') });
    severConnection({ ...destroy('promise'), connection: { stream: destroy('its socket') } });
    expect(destroyed).toEqual(['pg', 'mysql2', 'socket of mysql2', 'promise', 'its socket']);
    for (const each of [undefined, null, 'x', {}, { connection: {} }, { stream: {} }]) {
      severConnection(each);
    }
  });
});
