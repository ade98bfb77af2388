/**
 * Finds the real servers that the tests start and installs them where that
 * is possible without asking. Nothing here starts a server.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import {
  findAlertmanager,
  findChromium,
  findEtcd,
  findHaproxy,
  findKafkaMock,
  findMariadb,
  findMemcached,
  findMosquitto,
  findNatsServer,
  findNginx,
  findOnPath,
  findPostgresBin,
  findProgram,
  findPrometheus,
  findPython,
  findPythonGrpc,
  findRabbitmqServer,
  findRedisServer,
  findZookeeper,
} from './find-servers.mjs';

export * from './find-servers.mjs';

const POLICY_FILE = '/usr/sbin/policy-rc.d';

/** @type {Record<string, { find: () => unknown, debian: string, hint: string }>} */
const SERVERS = {
  postgres: {
    find: () => findPostgresBin(),
    debian: 'postgresql',
    hint: 'PostgreSQL server 13 or later (Debian and Ubuntu: `apt-get install postgresql`; macOS: `brew install postgresql`)',
  },
  redis: {
    find: () => findRedisServer(),
    debian: 'redis-server',
    hint: 'Redis server 6 or later (Debian and Ubuntu: `apt-get install redis-server`; macOS: `brew install redis`)',
  },
  haproxy: {
    find: () => findHaproxy(),
    debian: 'haproxy',
    hint: 'HAProxy 2.4 or later (Debian and Ubuntu: `apt-get install haproxy`; macOS: `brew install haproxy`)',
  },
  rabbitmq: {
    find: () => findRabbitmqServer(),
    debian: 'rabbitmq-server',
    hint: 'RabbitMQ 3.9 or later (Debian and Ubuntu: `apt-get install rabbitmq-server`; macOS: `brew install rabbitmq`)',
  },
  python: {
    find: () => findPython(),
    debian: 'python3',
    hint: 'Python 3.6 or later (Debian and Ubuntu: `apt-get install python3`)',
  },
  'python-grpc': {
    find: () => findPythonGrpc(),
    debian: 'python3-grpcio',
    hint: 'gRPC for Python (Debian and Ubuntu: `apt-get install python3-grpcio`)',
  },
  systemd: {
    find: () => findProgram('systemd-notify'),
    debian: 'systemd',
    hint: 'systemd 240 or later, at least its programs (Debian and Ubuntu: `apt-get install systemd`)',
  },
  nginx: {
    find: () => findNginx(),
    debian: 'nginx-light',
    hint: 'nginx 1.18 or later (Debian and Ubuntu: `apt-get install nginx-light`; macOS: `brew install nginx`)',
  },
  mariadb: {
    find: () => findMariadb()?.server,
    debian: 'mariadb-server',
    hint: 'MariaDB 10.6 or later (Debian and Ubuntu: `apt-get install mariadb-server`; macOS: `brew install mariadb`)',
  },
  memcached: {
    find: () => findMemcached(),
    debian: 'memcached',
    hint: 'memcached 1.5 or later (Debian and Ubuntu: `apt-get install memcached`; macOS: `brew install memcached`)',
  },
  nats: {
    find: () => findNatsServer(),
    debian: 'nats-server',
    hint: 'NATS server 2.9 or later (Debian and Ubuntu: `apt-get install nats-server`; macOS: `brew install nats-server`)',
  },
  mosquitto: {
    find: () => findMosquitto(),
    debian: 'mosquitto',
    hint: 'Mosquitto 2.0 or later (Debian and Ubuntu: `apt-get install mosquitto`; macOS: `brew install mosquitto`)',
  },
  kafka: {
    find: () => findKafkaMock(),
    debian: 'librdkafka1 python3',
    hint: 'librdkafka 1.6 or later, for its mock of a Kafka cluster, and Python 3.8 or later (Debian and Ubuntu: `apt-get install librdkafka1 python3`; macOS: `brew install librdkafka python`)',
  },
  etcd: {
    find: () => findEtcd(),
    debian: 'etcd-server',
    hint: 'etcd 3.4 or later (Debian and Ubuntu: `apt-get install etcd-server`; macOS: `brew install etcd`)',
  },
  zookeeper: {
    find: () => findZookeeper(),
    debian: 'zookeeper default-jre-headless',
    hint: 'ZooKeeper 3.5 or later and a Java runtime (Debian and Ubuntu: `apt-get install zookeeper default-jre-headless`; macOS: `brew install zookeeper`)',
  },
  chromium: {
    find: () => findChromium(),
    debian: 'chromium',
    hint: 'Chromium 110 or later (Debian: `apt-get install chromium`; macOS: `brew install --cask chromium`)',
  },
  prometheus: {
    find: () => findPrometheus(),
    debian: 'prometheus',
    hint: 'Prometheus 2.40 or later with promtool (Debian and Ubuntu: `apt-get install prometheus`; macOS: `brew install prometheus`)',
  },
  alertmanager: {
    find: () => findAlertmanager(),
    debian: 'prometheus-alertmanager',
    hint: 'Prometheus Alertmanager 0.24 or later (Debian and Ubuntu: `apt-get install prometheus-alertmanager`; macOS: `brew install alertmanager`)',
  },
};

/** The error to throw when servers are missing and cannot be installed from here. */
export function missingServersError(names) {
  const lines = names.map((name) => `  - ${SERVERS[name].hint}`).join('\n');
  return new Error(`The tests need these servers, please install them:\n${lines}`);
}

function runApt(args) {
  const result = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  throw new Error(`apt-get ${args.join(' ')} failed (exit ${result.status ?? result.signal})`);
}

/** Debian's convention: exit code 101 of this file forbids packages to start their services. */
function withoutServiceStart(action) {
  const planted = !existsSync(POLICY_FILE);
  if (planted) {
    writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n');
    chmodSync(POLICY_FILE, 0o755);
  }
  try {
    action();
  } finally {
    if (planted) rmSync(POLICY_FILE, { force: true });
  }
}

function canInstall() {
  return process.getuid?.() === 0 && findOnPath('apt-get') !== undefined;
}

/**
 * Makes sure the named servers can be started, installing them when root on Debian or Ubuntu.
 * @param {{ need?: string[] }} [options] server names, by default all of them
 * @throws Error that names what to install when a server is missing and cannot be installed
 */
export async function ensureServers(options = {}) {
  const need = options.need ?? Object.keys(SERVERS);
  const unknown = need.filter((name) => !(name in SERVERS));
  if (unknown.length > 0) {
    const known = Object.keys(SERVERS).join(', ');
    throw new RangeError(`need must hold only ${known}, got ${unknown.join(', ')}`);
  }
  const isMissing = (name) => SERVERS[name].find() === undefined;
  const missing = need.filter(isMissing);
  if (missing.length === 0) return;
  if (!canInstall()) throw missingServersError(missing);
  const packages = missing.flatMap((name) => SERVERS[name].debian.split(' '));
  withoutServiceStart(() => {
    runApt(['update', '-qq']);
    // Someone else on the machine may be installing something.
    const patience = ['-o', 'DPkg::Lock::Timeout=120'];
    runApt(['install', '-y', '-qq', ...patience, '--no-install-recommends', ...packages]);
  });
  const stillMissing = need.filter(isMissing);
  if (stillMissing.length > 0) throw missingServersError(stillMissing);
}
