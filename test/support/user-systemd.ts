import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from './program.js';

/** A real systemd that manages services of a test. */
export interface UserSystemd {
  /** Starts a service without waiting for it. */
  start(name: string): void;
  /** Stops a service and waits until it has ended. */
  stop(name: string): void;
  /** What `systemctl show` says. */
  show(name: string): Readonly<Record<string, string>>;
  dispose(): Promise<void>;
}

const MANAGER = '/lib/systemd/systemd';
// A manager runs only where systemd has booted the machine; to this one it looks as if it had.
const PREPARE = `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec ${MANAGER} --user`;

/** Whether this machine lets a test run a manager of its own: root, with mount namespaces and a writable cgroup. */
export function canRunSystemd(): boolean {
  if (process.getuid?.() !== 0 || !existsSync(MANAGER)) return false;
  const probe = 'mount -t tmpfs tmpfs /run && test -w /sys/fs/cgroup/systemd/cgroup.procs';
  return spawnSync('unshare', ['-m', 'sh', '-c', probe]).status === 0;
}

/** Starts a manager with services, each given as the lines of its `[Service]` section. */
export async function startUserSystemd(
  services: Readonly<Record<string, readonly string[]>>,
): Promise<UserSystemd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-systemd-'));
  const units = path.join(folder, '.config/systemd/user');
  mkdirSync(units, { recursive: true });
  for (const [name, lines] of Object.entries(services))
    writeFileSync(path.join(units, `${name}.service`), `[Service]\n${lines.join('\n')}\n`);
  writeFileSync(path.join(units, 'idle.target'), '[Unit]\nDefaultDependencies=no\n');
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder };
  const command = `${PREPARE} --unit=idle.target`;
  const manager = spawn('unshare', ['-m', 'sh', '-c', command], { env, stdio: 'ignore' });
  const systemctl = (...args: string[]): string =>
    execFileSync('systemctl', ['--user', ...args], { env, encoding: 'utf8', stdio: 'pipe' });
  const show = (name: string): Record<string, string> =>
    Object.fromEntries(
      systemctl('show', name)
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  await eventually('systemd that answers', () => attempt(() => show('idle.target')));
  return {
    start: (name) => void systemctl('start', '--no-block', name),
    stop: (name) => void systemctl('stop', name),
    show,
    async dispose() {
      await end(manager);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** SIGTERM stops every service before the manager itself. */
async function end(manager: ChildProcess): Promise<void> {
  if (manager.exitCode !== null || manager.signalCode !== null) return;
  const exited = once(manager, 'exit');
  manager.kill('SIGTERM');
  await exited;
}
