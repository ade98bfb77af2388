import { bytesField, readFields, varintField } from './protobuf.js';

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`. */
export const SERVING_STATUS = {
  unknown: 0,
  serving: 1,
  notServing: 2,
  /** Of `Watch` only. */
  serviceUnknown: 3,
} as const;

export type ServingStatus = (typeof SERVING_STATUS)[keyof typeof SERVING_STATUS];

/** The status codes of gRPC that a health service answers with. */
export const GRPC_STATUS = {
  ok: 0,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type GrpcStatus = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/** Where the methods of the service are found. */
export const GRPC_HEALTH_PATH = '/grpc.health.v1.Health/';

const PREFIX_BYTES = 5;

/** A `HealthCheckResponse`. */
export function encodeServingStatus(status: ServingStatus): Uint8Array {
  return Uint8Array.from(varintField(1, status));
}

/** A `HealthListResponse`. */
export function encodeServingList(
  statuses: Iterable<readonly [service: string, status: ServingStatus]>,
): Uint8Array {
  const entries = [...statuses].flatMap(([service, status]) =>
    bytesField(1, [
      ...bytesField(1, new TextEncoder().encode(service)),
      ...bytesField(2, encodeServingStatus(status)),
    ]),
  );
  return Uint8Array.from(entries);
}

/** A `HealthCheckRequest`. */
export function encodeService(service: string): Uint8Array {
  return Uint8Array.from(bytesField(1, new TextEncoder().encode(service)));
}

/**
 * The service a `HealthCheckRequest` asks for; empty for the whole server.
 * @throws Error when the bytes are no such message.
 */
export function decodeService(message: Uint8Array): string {
  // Of a field that comes twice the last one counts.
  const field = readFields(message).findLast(({ number }) => number === 1);
  if (field === undefined) return '';
  if (field.kind !== 'bytes') throw new Error('not a HealthCheckRequest');
  return new TextDecoder('utf-8', { fatal: true }).decode(field.value);
}

/**
 * The number of the status in a `HealthCheckResponse`.
 * @throws Error when the bytes are no such message.
 */
export function decodeServingStatus(message: Uint8Array): number {
  const field = readFields(message).findLast(({ number }) => number === 1);
  if (field?.kind === 'bytes') throw new Error('not a HealthCheckResponse');
  return field?.value ?? SERVING_STATUS.unknown;
}

/** A message with the prefix gRPC puts before each: not compressed, four bytes of length. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/**
 * The only message of a unary request or answer.
 * @throws Error when it is compressed or there is not exactly one.
 */
export function unframeMessage(frame: Uint8Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = frame;
  if (byteLength < PREFIX_BYTES || frame[0] !== 0) throw new Error('not one plain gRPC message');
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(1);
  if (byteLength !== PREFIX_BYTES + length) throw new Error('not one plain gRPC message');
  return frame.subarray(PREFIX_BYTES);
}
