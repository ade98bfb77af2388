import { jetstream } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { type KV as KV2, type NatsConnection as NatsConnection2, connect as connect2 } from 'nats';
import { ACL, type Client, Id, Permission, createClient } from 'node-zookeeper-client';
import { describe, expectTypeOf, it } from 'vitest';
import type { LeaseStore } from '../../src/lease/index.js';
import {
  type NatsLeaseBucket,
  type NatsLeaseBuckets,
  type NatsLeaseConnection,
  natsLease,
} from '../../src/lease/stores/nats.js';
import { type ZookeeperLeaseClient, zookeeperLease } from '../../src/lease/stores/zookeeper.js';

describe('the clients of the real libraries fit the lease stores without a cast', () => {
  it('@nats-io 3', () => {
    expectTypeOf<NatsConnection>().toExtend<NatsLeaseConnection>();
    expectTypeOf<Kvm>().toExtend<NatsLeaseBuckets>();
    expectTypeOf<KV>().toExtend<NatsLeaseBucket>();
    const store = natsLease(
      () => connect({ servers: '127.0.0.1' }),
      (connection) => new Kvm(connection),
      { bucket: 'leases', replicas: 3 },
    );
    expectTypeOf(store).toEqualTypeOf<LeaseStore>();
    natsLease(
      () => connect(),
      (connection) => new Kvm(jetstream(connection, { domain: 'hub' })),
    );
    // @ts-expect-error a connection that others use must not be closed
    natsLease(null as unknown as NatsConnection, (connection) => new Kvm(connection));
  });

  it('nats 2', () => {
    expectTypeOf<NatsConnection2>().toExtend<NatsLeaseConnection>();
    expectTypeOf<KV2>().toExtend<NatsLeaseBucket>();
    natsLease(
      () => connect2(),
      (connection) => ({
        create: (bucket, options) => connection.jetstream().views.kv(bucket, options),
      }),
    );
  });

  it('node-zookeeper-client 1', () => {
    expectTypeOf<Client>().toExtend<ZookeeperLeaseClient>();
    const store = zookeeperLease((options) => createClient('zk-0:2181,zk-1:2181', options), {
      path: '/orders/lease',
      acl: [new ACL(Permission.ALL, new Id('auth', ''))],
    });
    expectTypeOf(store).toEqualTypeOf<LeaseStore>();
    // @ts-expect-error each lease has a client of its own
    zookeeperLease(createClient('zk-0:2181'));
  });
});
