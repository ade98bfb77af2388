import type { ServerHttp2Stream } from 'node:http2';
import {
  SERVING_STATUS,
  type ServingStatus,
  encodeServingStatus,
  frameMessage,
} from '../protocol/grpc-health.js';

/** The open `Watch` streams. */
export interface GrpcWatches {
  /** Sends the present status at once, and from then on each change of it; the stream has its headers already. */
  add(service: string, stream: ServerHttp2Stream): void;
  /** Sends what has changed. */
  look(): void;
  /** Sends what has changed and ends every stream. */
  end(): void;
}

interface Watch {
  readonly service: string;
  readonly stream: ServerHttp2Stream;
  sent: ServingStatus | undefined;
}

/** Creates an empty set of watches. */
export function createGrpcWatches(
  statusOf: (service: string) => ServingStatus | undefined,
): GrpcWatches {
  const watches = new Set<Watch>();

  function send(watch: Watch): void {
    // A client that does not read gets what is the case when it does, not all that was: the end of the write sends it.
    if (watch.stream.writableLength === 0) sendNow(watch);
  }

  function sendNow(watch: Watch): void {
    const { service, stream } = watch;
    if (stream.destroyed || stream.writableEnded) return;
    const status = statusOf(service) ?? SERVING_STATUS.serviceUnknown;
    if (status === watch.sent) return;
    watch.sent = status;
    stream.write(frameMessage(encodeServingStatus(status)), () => send(watch));
  }

  return {
    add(service, stream) {
      const watch: Watch = { service, stream, sent: undefined };
      watches.add(watch);
      stream.once('close', () => watches.delete(watch));
      send(watch);
    },
    look() {
      for (const watch of watches) send(watch);
    },
    end() {
      for (const watch of watches) {
        sendNow(watch);
        watch.stream.end();
      }
      watches.clear();
    },
  };
}
