import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { BSON } from 'mongodb';

const ITERATIONS = 4_096;

/** A log-in under way. */
export interface Conversation {
  readonly reply: Record<string, unknown>;
  readonly password: string;
  readonly salt: Buffer;
  /** What both sides have said so far. */
  readonly said: string;
}

/** The server's first message of SCRAM-SHA-256 (RFC 7677). */
export function startScram(
  payload: BSON.Binary,
  { user, password }: { readonly user: string; readonly password: string },
): Conversation {
  // Behind the header `n,,`.
  const clientFirst = textOf(payload).slice(3);
  const salt = randomBytes(16);
  const nonce = `${field(clientFirst, 'r')}${randomBytes(18).toString('base64')}`;
  const serverFirst = `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`;
  // One that does not exist is asked as well, and has no password that fits.
  const known = field(clientFirst, 'n') === user ? password : randomBytes(16).toString('hex');
  return {
    reply: { conversationId: 1, done: false, payload: binary(serverFirst), ok: 1 },
    password: known,
    salt,
    said: `${clientFirst},${serverFirst}`,
  };
}

/** The server's last message, or the error of a wrong password. */
export function finishScram(
  payload: BSON.Binary,
  conversation: Conversation | undefined,
): Record<string, unknown> {
  const clientFinal = textOf(payload);
  const proof = Buffer.from(field(clientFinal, 'p'), 'base64');
  if (conversation === undefined) return refused();
  const { password, salt } = conversation;
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const said = `${conversation.said},${clientFinal.slice(0, clientFinal.lastIndexOf(',p='))}`;
  const clientKey = hmac(salted, 'Client Key');
  const signature = hmac(createHash('sha256').update(clientKey).digest(), said);
  const expected = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return refused();
  const last = `v=${hmac(hmac(salted, 'Server Key'), said).toString('base64')}`;
  return { conversationId: 1, done: true, payload: binary(last), ok: 1 };
}

function refused(): Record<string, unknown> {
  return { ok: 0, errmsg: 'Authentication failed.', code: 18, codeName: 'AuthenticationFailed' };
}

function field(message: string, name: string): string {
  const found = message.split(',').find((each) => each.startsWith(`${name}=`));
  return found?.slice(2) ?? '';
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function binary(text: string): BSON.Binary {
  return new BSON.Binary(Buffer.from(text));
}

function textOf(payload: BSON.Binary): string {
  return Buffer.from(payload.buffer).toString('utf8', 0, payload.position);
}
