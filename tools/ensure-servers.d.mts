/** Server kinds the tests start. */
export type ServerName =
  | 'postgres'
  | 'redis'
  | 'haproxy'
  | 'nginx'
  | 'python'
  | 'python-grpc'
  | 'systemd'
  | 'rabbitmq'
  | 'mariadb'
  | 'memcached'
  | 'nats'
  | 'mosquitto'
  | 'kafka'
  | 'etcd'
  | 'zookeeper'
  | 'chromium'
  | 'prometheus'
  | 'alertmanager';
export function ensureServers(options?: { need?: ServerName[] }): Promise<void>;
export function findPostgresBin(): string | undefined;
export function findRedisServer(): string | undefined;
export function findHaproxy(): string | undefined;
export function findNginx(): string | undefined;
export function missingServersError(names: ServerName[]): Error;
export function findRabbitmqServer(): string | undefined;
export function findMariadb(): { server: string; install: string } | undefined;
export function findMemcached(): string | undefined;
export function findPython(): string | undefined;
export function findSystemdNotify(): string | undefined;
export function findNatsServer(): string | undefined;
export function findMosquitto(): string | undefined;
export function findKafkaMock(): { python: string; library: string } | undefined;
export function findEtcd(): string | undefined;
/** Java, and where ZooKeeper's classes are, or undefined. */
export function findZookeeper(): { java: string; classPath: string } | undefined;

export function findPrometheus(): { server: string; promtool: string } | undefined;
export function findAlertmanager(): string | undefined;
export function findChromium(): string | undefined;
