import type { Clock } from '../../core/clock.js';
import { HaleError, OptionError } from '../../core/errors.js';
import { objectOption, textOption } from '../../core/validate.js';
import {
  type FenceClaim,
  type SignalledClaim,
  claimTexts,
  fencedError,
  isAccepted,
} from './claim.js';
import { type GuardTimeOptions, inTime, timeLimit } from './time-limit.js';

/** The part of the client `S3` of @aws-sdk/client-s3 (3) that {@link s3Guard} uses. */
export interface S3GuardClient {
  getObject(
    input: { Bucket: string; Key: string },
    options: { abortSignal: AbortSignal },
  ): Promise<{
    readonly ETag?: string | undefined;
    readonly Body?: { transformToString(): Promise<string> } | undefined;
  }>;
  putObject(
    input: {
      Bucket: string;
      Key: string;
      Body: string;
      ContentType: string;
      IfMatch?: string;
      IfNoneMatch?: string;
    },
    options: { abortSignal: AbortSignal },
  ): Promise<unknown>;
}

/** Options of {@link s3Guard}. */
export interface S3GuardOptions extends GuardTimeOptions {
  bucket: string;
  /** What the key of every object begins with. @defaultValue none */
  prefix?: string;
}

/** What an object of the guard holds. */
export interface S3Guarded extends FenceClaim {
  /** What was written last. */
  readonly value: unknown;
}

/** Objects of S3 that a newer token has not overtaken. */
export interface S3Guard {
  /**
   * Replaces the object `resource` by a JSON document that holds the value, the token and the holder.
   * @throws HaleError `HALE_FENCED` when the token is too old: nothing was written. `HALE_STATE` when the server turns out
   * to ignore conditions. `HALE_GUARD_TIMEOUT` without an answer.
   */
  write(resource: string, claim: SignalledClaim, value: unknown): Promise<void>;
  /** What was written last; undefined when nothing was. @throws HaleError `HALE_GUARD_TIMEOUT` without an answer. */
  read(resource: string): Promise<S3Guarded | undefined>;
}

/** Of writes that race, one is done in each round. */
const ROUNDS = 200;
/** Not what was read, not there, or being written at this moment. */
const OVERTAKEN = [404, 409, 412];
/** No object has it. */
const NO_ETAG = '"hale"';

interface Stored {
  readonly guarded: S3Guarded;
  readonly etag: string;
}

/** Creates the guard of JSON documents in S3. */
export function createS3Guard(
  client: S3GuardClient,
  options: S3GuardOptions,
  systemClock: Clock,
): S3Guard {
  const { bucket, prefix = '' } = objectOption('s3Guard', options);
  const Bucket = textOption('s3Guard.bucket', bucket);
  if (typeof client?.getObject !== 'function' || typeof client.putObject !== 'function')
    throw new OptionError('s3Guard.client', 'a client with getObject() and putObject()', client);
  const limit = timeLimit('s3Guard', options, systemClock);
  let isProven = false;

  const stored = async (
    resource: string,
    abortSignal: AbortSignal,
  ): Promise<Stored | undefined> => {
    const Key = prefix + textOption('fence.resource', resource);
    try {
      const { ETag, Body } = await client.getObject({ Bucket, Key }, { abortSignal });
      return { guarded: guardedOf(Key, await Body?.transformToString()), etag: String(ETag) };
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  };

  const put = async (
    Key: string,
    Body: string,
    condition: object,
    abortSignal: AbortSignal,
  ): Promise<boolean> => {
    const input = { Bucket, Key, Body, ContentType: 'application/json', ...condition };
    try {
      await client.putObject(input, { abortSignal });
      return true;
    } catch (error) {
      if (OVERTAKEN.includes(statusOf(error) ?? 0)) return false;
      throw error;
    }
  };

  const write = async (
    resource: string,
    claim: FenceClaim,
    value: unknown,
    signal: AbortSignal,
  ): Promise<void> => {
    const { token, holder } = claimTexts(claim);
    const body = JSON.stringify({ token, holder, value });
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await stored(resource, signal);
      if (!isAccepted(claim, seen?.guarded)) throw fencedError(resource, claim);
      // Given up meanwhile: nobody waits for what would be written now.
      signal.throwIfAborted();
      const condition = seen === undefined ? { IfNoneMatch: '*' } : { IfMatch: seen.etag };
      if (!(await put(prefix + resource, body, condition, signal))) continue;
      // Some servers take conditions for decoration. What must be refused tells, and would change nothing.
      isProven ||= !(await put(prefix + resource, body, { IfMatch: NO_ETAG }, signal));
      if (isProven) return;
      throw new HaleError('HALE_STATE', 's3Guard: this server ignores If-Match and guards nothing');
    }
    throw new Error(`"${resource}" was written by others ${ROUNDS} times meanwhile`);
  };

  return {
    write: (resource, claim, value) =>
      inTime(limit, resource, claim.signal, (signal) => write(resource, claim, value, signal)),
    read: (resource) =>
      inTime(
        limit,
        resource,
        undefined,
        async (signal) => (await stored(resource, signal))?.guarded,
      ),
  };
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}

/** @throws Error for an object that is none of the guard's: its writers would not look at tokens */
function guardedOf(key: string, text: string | undefined): S3Guarded {
  const { token, holder, value } = parsed(text ?? '');
  if (typeof token !== 'string' || !/^\d+$/.test(token) || typeof holder !== 'string')
    throw new Error(`the object "${key}" was not written through the guard`);
  return { token: BigInt(token), holder, value };
}

function parsed(text: string): { token?: unknown; holder?: unknown; value?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
