import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const FIRST_PROCESS = 1;

/**
 * Prepares the end of this process from a thread beside the main one, where `process.exit()` ends only the thread and no
 * handler of a signal runs. The returned function does not return.
 * @throws Error of the system where this process may not signal itself.
 */
export function prepareEnd(): () => void {
  const { pid } = process;
  process.kill(pid, 0);
  const trap = pid === FIRST_PROCESS ? compileTrap() : undefined;
  return () => {
    try {
      process.kill(pid, 'SIGKILL');
    } finally {
      // The first process of a container ignores every signal it sends itself, but not a trap of the processor.
      trap?.runInThisContext();
    }
  };
}

/** Compiled ahead, as top-level code: a function body would be compiled at its first call, when the flag is off again. */
function compileTrap(): Script {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return new Script('%SystemBreak()');
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
