import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { writeWhole } from '../core/write-whole.js';

/** Where a command writes, and what it may know of it. */
export interface Terminal {
  write(text: string): void;
  writeError(text: string): void;
  readonly isTerminal: boolean;
  /** Columns; absent where there is no terminal. */
  readonly columns: number | undefined;
  /** Settles when somebody ends the command, by Ctrl+C or SIGTERM. */
  readonly interrupted: Promise<void>;
}

/** The terminal of this process. From the first look at `interrupted` on, Ctrl+C no longer ends the process by itself. */
export function systemTerminal(): Terminal {
  let interrupted: Promise<void> | undefined;
  const isTerminal = isatty(1);
  return {
    write: (text) => write(1, text),
    writeError: (text) => write(2, text),
    isTerminal,
    get columns() {
      // Touched for a terminal only: it would make a pipe non-blocking, and the end of a long text would be lost.
      return isTerminal ? process.stdout.columns : undefined;
    },
    get interrupted() {
      interrupted ??= new Promise((resolve) => {
        process.once('SIGINT', () => resolve());
        process.once('SIGTERM', () => resolve());
      });
      return interrupted;
    },
  };
}

function write(descriptor: number, text: string): void {
  try {
    writeWhole((bytes) => writeSync(descriptor, bytes), text);
  } catch {
    // Nobody reads it; the exit code still tells.
  }
}
