import { HaleError, OptionError } from '../../core/errors.js';
import { objectOption, textOption } from '../../core/validate.js';
import { type FenceClaim, claimTexts, fencedError, isAccepted } from './claim.js';

/** The part of the client `S3` of @aws-sdk/client-s3 (3) that {@link s3Guard} uses. */
export interface S3GuardClient {
  getObject(input: { Bucket: string; Key: string }): Promise<{
    readonly ETag?: string | undefined;
    readonly Body?: { transformToString(): Promise<string> } | undefined;
  }>;
  putObject(input: {
    Bucket: string;
    Key: string;
    Body: string;
    ContentType: string;
    IfMatch?: string;
    IfNoneMatch?: string;
  }): Promise<unknown>;
}

/** Options of {@link s3Guard}. */
export interface S3GuardOptions {
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
   * to ignore conditions.
   */
  write(resource: string, claim: FenceClaim, value: unknown): Promise<void>;
  /** What was written last; undefined when nothing was. */
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

/**
 * Guards JSON documents in S3, or in a store with its conditional writes, by `If-Match` and `If-None-Match`. Token and
 * holder are in the document and not beside it, because an ETag is made of the content alone. For what is big, write an
 * object of its own first, and its name through the guard.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function s3Guard(client: S3GuardClient, options: S3GuardOptions): S3Guard {
  const { bucket, prefix = '' } = objectOption('s3Guard', options);
  const Bucket = textOption('s3Guard.bucket', bucket);
  if (typeof client?.getObject !== 'function' || typeof client.putObject !== 'function')
    throw new OptionError('s3Guard.client', 'a client with getObject() and putObject()', client);
  let isProven = false;

  const stored = async (resource: string): Promise<Stored | undefined> => {
    const Key = prefix + textOption('fence.resource', resource);
    try {
      const { ETag, Body } = await client.getObject({ Bucket, Key });
      return { guarded: guardedOf(Key, await Body?.transformToString()), etag: String(ETag) };
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  };

  const put = async (Key: string, Body: string, condition: object): Promise<boolean> => {
    try {
      await client.putObject({ Bucket, Key, Body, ContentType: 'application/json', ...condition });
      return true;
    } catch (error) {
      if (OVERTAKEN.includes(statusOf(error) ?? 0)) return false;
      throw error;
    }
  };

  return {
    async write(resource, claim, value) {
      const { token, holder } = claimTexts(claim);
      const body = JSON.stringify({ token, holder, value });
      for (let round = 0; round < ROUNDS; round += 1) {
        const seen = await stored(resource);
        if (!isAccepted(claim, seen?.guarded)) throw fencedError(resource, claim);
        const condition = seen === undefined ? { IfNoneMatch: '*' } : { IfMatch: seen.etag };
        if (!(await put(prefix + resource, body, condition))) continue;
        // Some servers take conditions for decoration. What must be refused tells, and would change nothing.
        isProven ||= !(await put(prefix + resource, body, { IfMatch: NO_ETAG }));
        if (isProven) return;
        throw new HaleError(
          'HALE_STATE',
          's3Guard: this server ignores If-Match and guards nothing',
        );
      }
      throw new Error(`"${resource}" was written by others ${ROUNDS} times meanwhile`);
    },
    read: async (resource) => (await stored(resource))?.guarded,
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
