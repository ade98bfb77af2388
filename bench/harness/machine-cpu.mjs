import { readFileSync } from 'node:fs';

/** The kernel's unit in /proc, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Starts watching what everything else on the machine takes, in per cent of one core: other programs and time
 * stolen by the hypervisor. It is what tells a noisy run from a slow product.
 * @param {number} pid the subject, whose children count as its own
 * @returns {() => number}
 */
export function watchOthers(pid) {
  const from = performance.now();
  const machine = machineTicks();
  const own = ownTicks(pid);
  return () => {
    const seconds = (performance.now() - from) / 1000;
    const others = machineTicks() - machine - (ownTicks(pid) - own);
    return (others / TICKS_PER_SECOND / seconds) * 100;
  };
}

function machineTicks() {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .map(Number);
  return user + nice + system + irq + softirq + steal;
}

function ownTicks(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const pids = [pid, ...children.split(' ').filter(Boolean)];
  return pids.reduce((sum, each) => sum + processTicks(each), 0);
}

function processTicks(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}
