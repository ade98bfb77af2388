/** Where the real servers that the tests start are installed; nothing here starts or installs one. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's one names the others it needs; the rest are folders of jars. */
const ZOOKEEPER_JARS = [
  '/usr/share/java/zookeeper.jar',
  '/opt/homebrew/opt/zookeeper/libexec/lib/*',
  '/usr/local/opt/zookeeper/libexec/lib/*',
];

const POSTGRES_ROOTS = [
  '/usr/lib/postgresql',
  '/usr/local/lib/postgresql',
  '/opt/homebrew/opt',
  '/usr/local/opt',
];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The folder of the PATH that has a program.
 * @param {string} name
 */
export function findOnPath(name) {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/local/bin', '/usr/sbin');
  return folders.filter(Boolean).find((folder) => isExecutable(join(folder, name)));
}

/**
 * Newest first, so that a machine with several majors tests against the latest.
 * @param {string} root
 */
function versionedBins(root) {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => /^(postgresql@?)?\d*$/.test(name))
    .toSorted((a, b) => Number(b.replace(/\D/g, '')) - Number(a.replace(/\D/g, '')))
    .map((name) => join(root, name, 'bin'));
}

/** The folder that holds `initdb` and `postgres`, or undefined. */
export function findPostgresBin() {
  const candidates = POSTGRES_ROOTS.flatMap(versionedBins);
  const onPath = findOnPath('initdb');
  if (onPath !== undefined) candidates.push(onPath);
  return candidates.find((bin) => ['initdb', 'postgres'].every((f) => isExecutable(join(bin, f))));
}

/**
 * The path of a program on the PATH, or undefined.
 * @param {string} name
 */
export function findProgram(name) {
  const folder = findOnPath(name);
  return folder === undefined ? undefined : join(folder, name);
}

/** The path of `redis-server`, or undefined. */
export function findRedisServer() {
  return findProgram('redis-server');
}

/** The path of `haproxy`, or undefined. */
export function findHaproxy() {
  return findProgram('haproxy');
}

/** The path of RabbitMQ's own start script, or undefined; the one on Debian's PATH changes the user first. */
export function findRabbitmqServer() {
  const packaged = '/usr/lib/rabbitmq/bin/rabbitmq-server';
  return isExecutable(packaged) ? packaged : findProgram('rabbitmq-server');
}

/** The path of the system's Python 3, the one that packages of the system are for, or undefined. */
export function findPython() {
  const packaged = '/usr/bin/python3';
  return isExecutable(packaged) ? packaged : findProgram('python3');
}

/** The path of a Python 3 that has gRPC, or undefined. */
export function findPythonGrpc() {
  const python = findPython();
  if (python === undefined) return undefined;
  return spawnSync(python, ['-c', 'import grpc']).status === 0 ? python : undefined;
}

/** The path of `systemd-notify`, or undefined. */
export function findSystemdNotify() {
  return findProgram('systemd-notify');
}

/** The path of `nginx`, or undefined. */
export function findNginx() {
  return findProgram('nginx');
}

/** The paths of MariaDB's server and of the program that creates its data folder, or undefined. */
export function findMariadb() {
  const server = findProgram('mariadbd');
  const install = findProgram('mariadb-install-db');
  return server === undefined || install === undefined ? undefined : { server, install };
}

/** The path of `memcached`, or undefined. */
export function findMemcached() {
  return findProgram('memcached');
}

/** The path of `nats-server`, or undefined. */
export function findNatsServer() {
  return findProgram('nats-server');
}

/** The path of `mosquitto`, or undefined. */
export function findMosquitto() {
  return findProgram('mosquitto');
}

/** The path of `etcd`, or undefined. */
export function findEtcd() {
  return findProgram('etcd');
}

/** Java, and where ZooKeeper's classes are, or undefined. */
export function findZookeeper() {
  const java = findProgram('java');
  const jars = ZOOKEEPER_JARS.find((path) => existsSync(path.replace(/\*$/, '')));
  return java === undefined || jars === undefined ? undefined : { java, classPath: jars };
}

/** The path of Chromium or Chrome, or undefined. */
export function findChromium() {
  const mac = '/Applications/Chromium.app/Contents/MacOS/Chromium';
  return (
    findProgram('chromium') ?? findProgram('google-chrome') ?? (isExecutable(mac) ? mac : undefined)
  );
}

/** The paths of Prometheus and of promtool, or undefined. */
export function findPrometheus() {
  const server = findProgram('prometheus');
  const promtool = findProgram('promtool');
  return server === undefined || promtool === undefined ? undefined : { server, promtool };
}

/** The path of Alertmanager, or undefined; Debian's has a name of its own. */
export function findAlertmanager() {
  return findProgram('prometheus-alertmanager') ?? findProgram('alertmanager');
}

/** Where librdkafka may be: in Debian's folder of each architecture, or a prefix of its own. */
function findRdkafka() {
  const debian = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').filter((n) => /-linux-gnu/.test(n))
    : [];
  const folders = [
    ...debian.map((name) => join('/usr/lib', name)),
    '/usr/lib64',
    '/usr/lib',
    '/usr/local/lib',
    '/opt/homebrew/lib',
  ];
  return folders
    .flatMap((folder) => [join(folder, 'librdkafka.so.1'), join(folder, 'librdkafka.1.dylib')])
    .find((file) => existsSync(file));
}

/** What runs librdkafka's mock of a Kafka cluster, or undefined. */
export function findKafkaMock() {
  const library = findRdkafka();
  // The system's own first: a version manager's may be a script that needs an environment.
  const python = isExecutable('/usr/bin/python3') ? '/usr/bin/python3' : findProgram('python3');
  return library === undefined || python === undefined ? undefined : { library, python };
}
