import {
  closeSync,
  fstatSync,
  futimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock } from '../core/clock.js';
import type { ProbeFiles } from '../core/probe-options.js';
import type { ProbeKind } from './probe-kind.js';
import type { ProbeOutput } from './probe-output.js';

export interface ProbeFilesOptions {
  readonly files: ProbeFiles;
  /** What is written while the probe passes; `undefined` while it does not. */
  readonly textOf: (probe: ProbeKind) => string | undefined;
  readonly clock: Pick<Clock, 'now' | 'wallNow'>;
  /** A file could not be written; told once until it can be again. */
  readonly onError: (error: unknown) => void;
}

/** Far below any age at which a reader may call a file old; rare enough for a disk. */
const BEAT_EVERY_MS = 2000;

/** Keeps the files for exec probes; what a process before this one has left goes at once. */
export function createProbeFiles({
  files,
  textOf,
  clock,
  onError,
}: ProbeFilesOptions): ProbeOutput {
  const probes = Object.entries(files).map(([probe, path]) => ({
    probe: probe as ProbeKind,
    file: new ProbeFile(path, clock),
    failed: false,
  }));

  function forEach(action: (file: ProbeFile, probe: ProbeKind) => void): void {
    for (const one of probes) {
      try {
        action(one.file, one.probe);
        one.failed = false;
      } catch (error) {
        if (!one.failed) onError(error);
        one.failed = true;
      }
    }
  }

  forEach((file) => file.removeWhatever());
  return {
    look: () => forEach((file, probe) => file.set(textOf(probe))),
    close() {
      forEach((file) => file.set(undefined));
      return Promise.resolve();
    },
  };
}

/** The file as this process has written it; held open, so that no other file can have its number. */
interface Written {
  readonly text: string;
  readonly descriptor: number;
  readonly inode: number;
  beatAt: number;
}

class ProbeFile {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'now' | 'wallNow'>;
  #written: Written | undefined;

  constructor(file: string, clock: Pick<Clock, 'now' | 'wallNow'>) {
    this.#path = file;
    this.#clock = clock;
  }

  removeWhatever(): void {
    rmSync(this.#path, { force: true });
  }

  set(text: string | undefined): void {
    const written = this.#written;
    if (text === undefined) {
      this.#remove();
      return;
    }
    // Also where it cannot be written anew: the probe passes, and a beat needs no room on a full disk.
    if (written !== undefined && this.#clock.now() - written.beatAt >= BEAT_EVERY_MS)
      this.#beat(written, text);
    if (text !== this.#written?.text) this.#write(text);
  }

  /** Renamed into place: whoever reads finds all of it or nothing. */
  #write(text: string): void {
    const next = `${this.#path}.${process.pid}.next`;
    mkdirSync(path.dirname(this.#path), { recursive: true });
    // Made anew: where others may write too, what lies there could be a link to something else.
    rmSync(next, { force: true });
    const descriptor = openSync(next, 'wx');
    try {
      writeSync(descriptor, text);
      renameSync(next, this.#path);
    } catch (error) {
      closeSync(descriptor);
      rmSync(next, { force: true });
      throw error;
    }
    this.#letGo();
    const inode = fstatSync(descriptor).ino;
    this.#written = { text, descriptor, inode, beatAt: this.#clock.now() };
  }

  #beat(written: Written, text: string): void {
    if (!this.#isThere()) this.#write(text);
    else if (this.#isOurs(written)) {
      const seconds = this.#clock.wallNow() / 1000;
      futimesSync(written.descriptor, seconds, seconds);
      written.beatAt = this.#clock.now();
    }
  }

  #remove(): void {
    if (this.#written === undefined) return;
    if (this.#isOurs(this.#written)) rmSync(this.#path, { force: true });
    this.#letGo();
  }

  #letGo(): void {
    if (this.#written !== undefined) closeSync(this.#written.descriptor);
    this.#written = undefined;
  }

  #isThere(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
  }

  /** Another process may have taken the path over: beating for it would hide that it has stopped. */
  #isOurs({ inode }: Written): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === inode;
  }
}
