import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
  const probes = Object.entries(files).map(([probe, file]) => ({
    probe: probe as ProbeKind,
    file: new ProbeFile(file, clock),
  }));
  let failed = false;

  function attempt(action: () => void): void {
    try {
      action();
      failed = false;
    } catch (error) {
      if (!failed) onError(error);
      failed = true;
    }
  }

  attempt(() => {
    for (const { file } of probes) file.removeWhatever();
  });
  return {
    look() {
      for (const { probe, file } of probes) attempt(() => file.set(textOf(probe)));
    },
    close() {
      for (const { file } of probes) attempt(() => file.set(undefined));
      return Promise.resolve();
    },
  };
}

class ProbeFile {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'now' | 'wallNow'>;
  #text: string | undefined;
  #inode = 0;
  #beatAt = 0;

  constructor(file: string, clock: Pick<Clock, 'now' | 'wallNow'>) {
    this.#path = file;
    this.#clock = clock;
  }

  removeWhatever(): void {
    rmSync(this.#path, { force: true });
  }

  set(text: string | undefined): void {
    if (text === undefined) this.#remove();
    else if (text !== this.#text) this.#write(text);
    else if (this.#clock.now() - this.#beatAt >= BEAT_EVERY_MS) this.#beat(text);
  }

  /** Renamed into place: whoever reads finds all of it or nothing. */
  #write(text: string): void {
    const next = `${this.#path}.${process.pid}.next`;
    mkdirSync(path.dirname(this.#path), { recursive: true });
    writeFileSync(next, text);
    this.#inode = statSync(next).ino;
    renameSync(next, this.#path);
    this.#text = text;
    this.#beatAt = this.#clock.now();
  }

  #beat(text: string): void {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) {
      this.#write(text);
      return;
    }
    this.#beatAt = this.#clock.now();
    // Another process has taken the path over: beating for it would hide that it has stopped.
    if (stat.ino !== this.#inode) return;
    const seconds = this.#clock.wallNow() / 1000;
    utimesSync(this.#path, seconds, seconds);
  }

  #remove(): void {
    if (this.#text === undefined) return;
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat?.ino === this.#inode) rmSync(this.#path, { force: true });
    this.#text = undefined;
  }
}
