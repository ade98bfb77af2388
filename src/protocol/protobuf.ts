/*
 * As much of Protocol Buffers (proto3, wire format) as two messages of two fields need.
 */

const VARINT = 0;
const LENGTH_DELIMITED = 2;
/** Bytes of the wire types of fixed size. */
const FIXED_SIZE: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** A field as it stands on the wire. */
export type ProtobufField =
  | { readonly number: number; readonly kind: 'varint'; readonly value: number }
  | { readonly number: number; readonly kind: 'bytes'; readonly value: Uint8Array };

/** A whole number field; left out at 0, which is its default. */
export function varintField(field: number, value: number): readonly number[] {
  return value === 0 ? [] : [field * 8 + VARINT, ...varint(value)];
}

/** A field of bytes, a text or a message. */
export function bytesField(field: number, value: ArrayLike<number>): readonly number[] {
  return [field * 8 + LENGTH_DELIMITED, ...varint(value.length), ...Array.from(value)];
}

/**
 * Reads the fields of a message in order; those of a fixed size are skipped.
 * @throws Error when the bytes are no message.
 */
export function readFields(bytes: Uint8Array): readonly ProtobufField[] {
  const fields: ProtobufField[] = [];
  let at = 0;
  const take = (): number => {
    const [value, next] = readVarint(bytes, at);
    at = next;
    return value;
  };
  const skip = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = take();
    const [number, type] = [Math.floor(key / 8), key % 8];
    if (number === 0) throw malformed();
    if (type === VARINT) fields.push({ number, kind: 'varint', value: take() });
    else if (type === LENGTH_DELIMITED) fields.push({ number, kind: 'bytes', value: skip(take()) });
    else if (FIXED_SIZE[type] === undefined) throw malformed();
    else skip(FIXED_SIZE[type]);
  }
  return fields;
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** At most ten bytes, after the specification; beyond 2^53 the value is inexact, which no field here reaches. */
function readVarint(bytes: Uint8Array, from: number): readonly [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) throw malformed();
    value += (byte % 128) * 2 ** (7 * index);
    if (byte < 128) return [value, from + index + 1];
  }
  throw malformed();
}

function malformed(): Error {
  return new Error('not a Protocol Buffers message');
}
