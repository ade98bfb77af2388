/*
 * As much of a MongoDB server as drivers need to connect, log in, watch a replica set and ping, over the real wire
 * protocol (OP_MSG, and OP_QUERY for the first hello). No package has the server itself. It holds no data.
 *
 * Arguments: a port, and JSON of StandInOptions.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Socket, createServer } from 'node:net';
import { BSON } from 'mongodb';
import { type Conversation, finishScram, startScram } from './mongodb-scram.js';

interface StandInOptions {
  readonly user: string;
  readonly password: string;
}

/** The replica set it is told to be a member of, which it remembers when it is started again. */
interface Membership {
  readonly name: string;
  readonly hosts: readonly string[];
  /** Who is the primary, as far as this member knows. */
  readonly primary: string | null;
}

type Command = Readonly<Record<string, unknown>>;
type Reply = Record<string, unknown>;

const [port, json] = process.argv.slice(2);
const options = JSON.parse(json ?? '{}') as StandInOptions;
const me = `127.0.0.1:${port}`;
const MEMORY = 'set.json';
let set = existsSync(MEMORY) ? (JSON.parse(readFileSync(MEMORY, 'utf8')) as Membership) : undefined;

const HEADER = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

createServer((socket) => {
  let received: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  const session: Session = {};
  socket.on('error', () => {});
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      answer(socket, received.subarray(0, length), session);
      received = received.subarray(length);
    }
  });
}).listen(Number(port), '127.0.0.1');

/** What a connection remembers. */
interface Session {
  scram?: Conversation;
}

function answer(socket: Socket, message: Buffer, session: Session): void {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode !== OP_QUERY && opCode !== OP_MSG) {
    socket.destroy();
    return;
  }
  const start = opCode === OP_MSG ? HEADER + 5 : afterQueryHead(message);
  const length = message.readInt32LE(start);
  const command = BSON.deserialize(message.subarray(start, start + length)) as Command;
  const send = () => reply(socket, { requestId, opCode }, replyTo(command, session));
  // The test command of that name; it holds up nobody else.
  if (typeof command['millis'] === 'number') setTimeout(send, command['millis']);
  else send();
}

function reply(
  socket: Socket,
  { requestId, opCode }: { requestId: number; opCode: number },
  says: Reply,
): void {
  const document = Buffer.from(BSON.serialize(says));
  const head = opCode === OP_MSG ? Buffer.alloc(5) : replyHead();
  const header = Buffer.alloc(HEADER);
  header.writeInt32LE(HEADER + head.length + document.length, 0);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(opCode === OP_MSG ? OP_MSG : OP_REPLY, 12);
  socket.write(Buffer.concat([header, head, document]));
}

/** Flags, the name of a collection with its end, two numbers. */
function afterQueryHead(message: Buffer): number {
  return message.indexOf(0, HEADER + 4) + 1 + 8;
}

/** Flags, a cursor, a place, one document. */
function replyHead(): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(1, 16);
  return head;
}

function replyTo(command: Command, session: Session): Reply {
  const name = Object.keys(command)[0] ?? '';
  switch (name.toLowerCase()) {
    case 'hello':
    case 'ismaster':
      return hello(command);
    case 'ping':
    case 'endsessions':
    case 'sleep':
      return { ok: 1 };
    case 'saslstart': {
      const started = startScram(command['payload'] as BSON.Binary, options);
      session.scram = started;
      return started.reply;
    }
    case 'saslcontinue':
      return finishScram(command['payload'] as BSON.Binary, session.scram);
    // No command of MongoDB: its members agree among themselves.
    case 'joinset':
      set = command['joinSet'] as Membership;
      writeFileSync(MEMORY, JSON.stringify(set));
      return { ok: 1 };
    default:
      return { ok: 0, errmsg: `no such command: '${name}'`, code: 59, codeName: 'CommandNotFound' };
  }
}

function hello(command: Command): Reply {
  const isPrimary = set === undefined || set.primary === me;
  return {
    helloOk: true,
    isWritablePrimary: isPrimary,
    ismaster: isPrimary,
    ...(set === undefined ? {} : membership(set)),
    ...('saslSupportedMechs' in command ? { saslSupportedMechs: ['SCRAM-SHA-256'] } : {}),
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  };
}

function membership({ name, hosts, primary }: Membership): Reply {
  return {
    setName: name,
    setVersion: 1,
    hosts,
    me,
    secondary: primary !== me,
    ...(primary === null ? {} : { primary }),
  };
}
