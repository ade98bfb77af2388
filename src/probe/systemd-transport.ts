import type { SystemdNotify } from '../core/probe-options.js';

/** Sends one message; rejects when it did not get away. */
export type SystemdSend = (message: string) => Promise<void>;

/** The program answers within milliseconds, or systemd itself hangs. */
const PROGRAM_TIMEOUT_MS = 5000;

/**
 * Chooses how messages get to systemd. Node.js has no Unix datagram sockets, but a write to a descriptor that is
 * connected to one is a datagram: the best way where the unit hands one over, since it costs microseconds and comes
 * from the main process itself. Everywhere else there is the program `systemd-notify`.
 * @param tell hands a message to the function of the options
 */
export function systemdTransport(
  notify: SystemdNotify,
  tell: (message: string) => void,
): SystemdSend {
  if (notify.sender === 'caller') {
    return async (message) => tell(message);
  }
  const descriptor = usableDescriptor(notify);
  return descriptor === undefined
    ? (message) => runProgram(notify, message)
    : (message) => write(descriptor, message);
}

/** The descriptor, if it was meant for this process and still is what it was. */
function usableDescriptor({ inherited }: SystemdNotify): number | undefined {
  if (inherited?.pid !== process.pid) return undefined;
  const { fstatSync } = process.getBuiltinModule('node:fs');
  try {
    return fstatSync(inherited.descriptor).isSocket() ? inherited.descriptor : undefined;
  } catch {
    return undefined;
  }
}

async function write(descriptor: number, message: string): Promise<void> {
  process.getBuiltinModule('node:fs').writeSync(descriptor, message);
}

function runProgram({ socket, searchPath }: SystemdNotify, message: string): Promise<void> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const env = { NOTIFY_SOCKET: socket, ...(searchPath === undefined ? {} : { PATH: searchPath }) };
  return new Promise((resolve, reject) => {
    execFile(
      'systemd-notify',
      message.split('\n'),
      { env, timeout: PROGRAM_TIMEOUT_MS },
      (error) => {
        if (error === null) resolve();
        else reject(new Error(`systemd-notify: ${error.message}`, { cause: error }));
      },
    );
  });
}
