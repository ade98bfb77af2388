import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** A socket on which a process can be reached. */
export interface ListeningSocket {
  readonly kind: 'tcp' | 'udp' | 'unix' | 'raw';
  /** `host:port`, or the path of a Unix socket. */
  readonly at: string;
}

/** As the kernel writes it: a TCP socket that listens, and a Unix socket that accepts connections. */
const TCP_LISTEN = '0A';
const ACCEPTS_CONNECTIONS = 0x10000;
const TABLES = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'] as const;

/**
 * Every socket on which a process can be reached, as the kernel knows them: TCP sockets that listen, UDP and raw sockets
 * that are bound, Unix sockets that accept connections or have a name others can send to.
 */
export function listeningSockets(pid: number): readonly ListeningSocket[] {
  const inodes = socketInodes(pid);
  const internet = TABLES.flatMap((table) =>
    rows(pid, table).flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row;
      const kind = table.replace('6', '') as 'tcp' | 'udp' | 'raw';
      if (!inodes.has(inode) || (kind === 'tcp' && state !== TCP_LISTEN)) return [];
      return [{ kind, at: addressOf(local) }];
    }),
  );
  const unix = rows(pid, 'unix').flatMap((row) => {
    const [, , , flags = '', , , inode = '', name] = row;
    const accepts = (Number.parseInt(flags, 16) & ACCEPTS_CONNECTIONS) !== 0;
    if (!inodes.has(inode) || (!accepts && name === undefined)) return [];
    return [{ kind: 'unix' as const, at: name ?? '' }];
  });
  return [...internet, ...unix];
}

function socketInodes(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  const inodes = readdirSync(folder).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${descriptor}`))?.[1] ?? [];
    } catch {
      // Closed while the list was read.
      return [];
    }
  });
  return new Set(inodes);
}

function rows(pid: number, table: string): string[][] {
  const [, ...lines] = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/));
}

/** `0100007F:24B8` is 127.0.0.1:9400: each group of four bytes in the order of the machine. */
function addressOf(text: string): string {
  const [hex = '', port = ''] = text.split(':');
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed());
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16));
  const host = numbers.length === 4 ? numbers.join('.') : ipv6(numbers);
  return `${host}:${Number.parseInt(port, 16)}`;
}

function ipv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname;
}
