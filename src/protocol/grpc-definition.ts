import {
  GRPC_HEALTH_PATH,
  type ServingStatus,
  decodeService,
  encodeServingList,
  encodeServingStatus,
} from './grpc-health.js';

/** A request; an object, because grpc-js takes a message that is an empty text for none. */
export interface GrpcHealthRequest {
  readonly service: string;
}

/** A method as `@grpc/grpc-js` describes one. */
export interface GrpcMethod {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: never) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => GrpcHealthRequest;
  readonly responseSerialize: (value: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

/** The statuses of services, by their names. */
export type ServingList = readonly (readonly [service: string, status: ServingStatus])[];

/** `grpc.health.v1.Health` with its own codec. */
export const GRPC_HEALTH_DEFINITION = {
  Check: method('Check', false, (status: ServingStatus) => encodeServingStatus(status)),
  Watch: method('Watch', true, (status: ServingStatus) => encodeServingStatus(status)),
  List: method('List', false, (statuses: ServingList) => encodeServingList(statuses)),
} as const satisfies Record<string, GrpcMethod>;

function method<T>(
  name: string,
  responseStream: boolean,
  encode: (value: T) => Uint8Array,
): GrpcMethod {
  return {
    path: `${GRPC_HEALTH_PATH}${name}`,
    requestStream: false,
    responseStream,
    // A server reads requests and writes answers; the other two are a client's.
    requestSerialize: clientOnly,
    requestDeserialize: (bytes) => ({ service: decodeService(bytes) }),
    responseSerialize: (value) => Buffer.from(encode(value as T)),
    responseDeserialize: clientOnly,
  };
}

function clientOnly(): never {
  throw new Error('this definition is for a server');
}
