import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import Libsql from 'libsql';
import { createFaultProxy } from '../../src/testing/fault-proxy.js';
import type { RegistryAddress } from './lease-stores.js';

/** A way in which a holder can be cut off from its registry. */
export type Cut = 'hang' | 'cut' | 'locked' | 'unwritable' | 'moved';

/** A registry from which the holder can be cut off. */
export interface Reach extends AsyncDisposable {
  /** The registry, as the holder reaches it. */
  readonly holder: RegistryAddress;
  begin(holderPid: number): Promise<void>;
  /** Ends what a standby suffers from too. */
  end(): Promise<void>;
}

/** What a network can do, each in every other run. */
export const networkCuts = (run: number): readonly Cut[] => [run % 2 === 0 ? 'hang' : 'cut'];

/** What a file can do. */
export const fileCuts = (): readonly Cut[] => ['locked', 'unwritable', 'moved'];

/** Prepares to cut a holder off. */
export function prepareCut(kind: Cut, address: RegistryAddress): Promise<Reach> {
  return kind === 'hang' || kind === 'cut' ? throughProxy(kind, address) : ofFile(kind, address);
}

async function throughProxy(kind: 'hang' | 'cut', address: RegistryAddress): Promise<Reach> {
  const proxy = await createFaultProxy({ target: { host: '127.0.0.1', port: address.port } });
  const url = address.url.replace(`:${address.port}`, `:${proxy.port}`);
  return {
    holder: { ...address, port: proxy.port, url },
    begin: () => proxy.set({ kind }),
    end: async () => {},
    [Symbol.asyncDispose]: () => proxy.close(),
  };
}

async function ofFile(
  kind: 'locked' | 'unwritable' | 'moved',
  address: RegistryAddress,
): Promise<Reach> {
  const { begin, end, dispose } = FILE_CUTS[kind](address.url);
  return {
    holder: address,
    begin: async (pid) => begin(pid),
    end: async () => end(),
    [Symbol.asyncDispose]: async () => dispose?.(),
  };
}

interface FileCut {
  begin(holderPid: number): void;
  end(): void;
  dispose?(): void;
}

const FILE_CUTS: Readonly<Record<'locked' | 'unwritable' | 'moved', (file: string) => FileCut>> = {
  /** By a third process, as a backup or a shell does it. */
  locked(file) {
    const third = new Libsql(file);
    return {
      begin() {
        third.exec('PRAGMA busy_timeout = 2000');
        third.exec('BEGIN IMMEDIATE');
      },
      end: () => void third.exec('ROLLBACK'),
      dispose: () => void third.close(),
    };
  },
  /** Each write of the holder to a file fails, as on a full disk or a bad one. */
  unwritable: () => ({
    begin: (pid) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=0']),
    end() {},
  }),
  moved: (file) => ({
    begin: () => renameSync(file, `${file}.away`),
    end: () => renameSync(`${file}.away`, file),
  }),
};
