import { describe, expect, it } from 'vitest';
import { fileLocker, parseWriter } from '../../src/lease/file-lock.js';

/** As Linux 6.1 writes it, of a process that is frozen in the middle of a transaction. */
const WITH_LOG = `1: POSIX  ADVISORY  READ 27879 fe:00:2269281 128 128
2: POSIX  ADVISORY  READ 27879 fe:00:2269195 1073741826 1073742335
3: POSIX  ADVISORY  WRITE 27879 fe:00:2269281 120 120
4: FLOCK  ADVISORY  WRITE 12 fe:00:2269195 0 EOF
`;
const WITH_JOURNAL = `4: POSIX  ADVISORY  WRITE 27431 fe:00:2273513 1073741825 1073741825
4: -> POSIX  ADVISORY  WRITE 99 fe:00:2273513 1073741825 1073741825
5: POSIX  ADVISORY  READ 27431 fe:00:2273513 1073741826 1073742335
`;

describe('parseWriter', () => {
  it('finds who writes, with a write-ahead log and with a journal', () => {
    expect(parseWriter(WITH_LOG, { main: 2269195, shared: 2269281 })).toBe(27879);
    expect(parseWriter(WITH_JOURNAL, { main: 2273513, shared: undefined })).toBe(27431);
  });

  it('takes nobody who reads, waits, moves the log into the file, or locks something else', () => {
    for (const other of ['121 121', '118 119']) {
      const without = WITH_LOG.replace('120 120', other);
      expect(parseWriter(without, { main: 2269195, shared: 2269281 })).toBe(undefined);
    }
    expect(parseWriter(WITH_LOG, { main: 1, shared: undefined })).toBe(undefined);
    expect(
      parseWriter('4: -> POSIX  ADVISORY  WRITE 9 fe:00:1 0 EOF', { main: 1, shared: 2 }),
    ).toBe(undefined);
    expect(parseWriter('', { main: undefined, shared: undefined })).toBe(undefined);
  });

  it('knows a lock of the whole file', () => {
    const whole = '1: POSIX  ADVISORY  WRITE 7 fe:00:5 0 EOF';
    expect(parseWriter(whole, { main: undefined, shared: 5 })).toBe(7);
  });
});

describe('fileLocker', () => {
  it('says nothing of a file that is not there', () => {
    expect(fileLocker('no/such/file.db')).toBe(undefined);
  });
});
