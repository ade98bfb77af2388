import {
  type ClientReadableStream,
  type ServiceError,
  credentials,
  makeClientConstructor,
} from '@grpc/grpc-js';
import { service as definition } from 'grpc-health-check';

interface StatusMessage {
  readonly status: string;
}

type Reply<T> = (error: ServiceError | null, message: T) => void;

interface Stub {
  check(request: { service: string }, reply: Reply<StatusMessage>): void;
  list(request: object, reply: Reply<{ statuses: Record<string, StatusMessage> }>): void;
  watch(request: { service: string }): ClientReadableStream<StatusMessage>;
  close(): void;
}

type StubClass = new (address: string, credentials: object) => Stub;

/** What a client of the official protocol definition sees. */
export interface GrpcHealthClient {
  /** @throws ServiceError with gRPC's `code`. */
  check(service: string): Promise<string>;
  list(): Promise<Record<string, string>>;
  watch(service: string): GrpcHealthWatch;
  close(): void;
}

export interface GrpcHealthWatch {
  /** Everything received so far. */
  readonly seen: readonly string[];
  /** gRPC's code of the end, once it has ended. */
  ended(): number | undefined;
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Creates a client from the definition that the `grpc-health-check` package publishes. */
export function createGrpcHealthClient(port: number): GrpcHealthClient {
  const Health = makeClientConstructor(definition, 'Health') as unknown as StubClass;
  const stub = new Health(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    check: async (service) =>
      (await call<StatusMessage>((reply) => stub.check({ service }, reply))).status,
    async list() {
      const message = await call<{ statuses: Record<string, StatusMessage> }>((reply) =>
        stub.list({}, reply),
      );
      return Object.fromEntries(
        Object.entries(message.statuses).map(([name, { status }]) => [name, status]),
      );
    },
    watch: (service) => watchOf(stub.watch({ service })),
    close: () => stub.close(),
  };
}

function call<T>(start: (reply: Reply<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, message) => {
      if (error === null) resolve(message);
      else reject(error);
    });
  });
}

function watchOf(stream: ClientReadableStream<StatusMessage>): GrpcHealthWatch {
  const seen: string[] = [];
  let code: number | undefined;
  stream.on('data', ({ status }: StatusMessage) => seen.push(status));
  stream.on('error', () => {});
  stream.on('status', (status: { code: number }) => (code = status.code));
  return {
    seen,
    ended: () => code,
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    cancel: () => stream.cancel(),
  };
}
