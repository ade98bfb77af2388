import { type Socket, connect } from 'node:net';
import type { Check } from '../../src/core/check.js';
import type { ConformanceTarget } from '../../src/testing/index.js';
import { PASSWORD } from './line-server.js';

/** Says the password on a socket and waits for the welcome; destroys the socket when anything goes wrong. */
function ask(socket: Socket, password: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown) => {
      signal?.removeEventListener('abort', abort);
      socket.destroy();
      reject(reason as Error);
    };
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', fail).once('close', () => fail(new Error('closed')));
    socket.once('data', (chunk) => {
      signal?.removeEventListener('abort', abort);
      socket.removeAllListeners('close');
      if (chunk.toString() === 'welcome\n') resolve();
      else fail(new Error('not welcome'));
    });
    socket.write(`${password}\n`);
  });
}

const open = ({ host, port }: ConformanceTarget) => connect({ host, port }).on('error', () => {});

/** One connection for each run, closed at its end, whatever the end is. */
export const sound = (target: ConformanceTarget): Check => ({
  run: async (signal) => {
    const socket = open(target);
    await ask(socket, target.password(PASSWORD), signal).finally(() => socket.destroy());
  },
});

/** Does not close the connection of a run that passed. */
export function leaky(target: ConformanceTarget): Check & { sockets: Socket[] } {
  const sockets: Socket[] = [];
  return {
    sockets,
    run: async (signal) => {
      const socket = open(target);
      sockets.push(socket);
      await ask(socket, target.password(PASSWORD), signal);
    },
  };
}

/** Does not close the connection of a run that was aborted. */
export function leakyOnFailure(target: ConformanceTarget): Check & { sockets: Socket[] } {
  const sockets: Socket[] = [];
  return {
    sockets,
    run: async (signal) => {
      const socket = open(target);
      sockets.push(socket);
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      const answered = ask(socket, target.password(PASSWORD)).then(() => socket.destroy());
      answered.catch(() => {});
      await Promise.race([answered, aborted]);
    },
  };
}

/** Waits for its answer, whatever its signal says. */
export function deaf(target: ConformanceTarget): Check & { sockets: Socket[] } {
  const sockets: Socket[] = [];
  return {
    sockets,
    run: async () => {
      const socket = open(target);
      sockets.push(socket);
      await ask(socket, target.password(PASSWORD)).finally(() => socket.destroy());
    },
  };
}

/** Puts the password into the text of its failures. */
export const talkative = (target: ConformanceTarget): Check => ({
  run: async (signal) => {
    try {
      await sound(target).run(signal);
    } catch (error) {
      throw new Error(`nobody lets me in with ${target.password(PASSWORD)}`, { cause: error });
    }
  },
});

/** Logs the password. */
export function gossiping(target: ConformanceTarget): Check {
  const { run } = sound(target);
  return {
    start: ({ logger }) => logger.info({ with: target.password(PASSWORD) }, 'I begin'),
    run,
  };
}

/** Connects again at once when its connection breaks, for ever. */
export function stormy(target: ConformanceTarget): Check {
  const { run } = sound(target);
  let isOver = false;
  let keeper: Socket | undefined;
  const keep = () => {
    if (isOver) return;
    keeper = open(target).once('close', keep);
  };
  return {
    start: keep,
    run,
    dispose: () => {
      isOver = true;
      keeper?.destroy();
    },
  };
}

/** Keeps its first connection, broken or not. */
export function loyal(target: ConformanceTarget): Check {
  let kept: Socket | undefined;
  return {
    run: async (signal) => {
      kept ??= open(target);
      if (kept.destroyed) throw new Error('my connection is gone');
      await ask(kept, target.password(PASSWORD), signal);
      kept.removeAllListeners('error').on('error', () => {});
    },
    dispose: () => void kept?.destroy(),
  };
}

/** Ends its connections politely and waits for the peer to do so, too. */
export const polite = (target: ConformanceTarget): Check => ({
  run: async (signal) => {
    const socket = connect({ ...target, allowHalfOpen: true }).on('error', () => {});
    const said = ask(socket, target.password(PASSWORD)).catch(() => {});
    const aborted = new Promise<'aborted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    });
    const first = await Promise.race([said, aborted]);
    socket.end();
    if (first === 'aborted' || socket.destroyed) throw new Error('no welcome');
  },
});

/** Passes without a look. */
export const blind = (): Check => ({ run: () => undefined });

/** Leaves a timer behind. */
export function ticking(target: ConformanceTarget): Check {
  const { run } = sound(target);
  return { start: ({ clock }) => void clock.setTimeout(() => {}, 60_000), run };
}
