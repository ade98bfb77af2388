import { type ClientHttp2Session, connect } from 'node:http2';
import {
  GRPC_HEALTH_PATH,
  SERVING_STATUS,
  decodeServingStatus,
  encodeService,
  frameMessage,
  unframeMessage,
} from '../../protocol/grpc-health.js';
import type { ProbeTarget } from './target.js';
import { type ProbeResult, failed } from './verdict.js';

export interface AskGrpcOptions {
  readonly target: Extract<ProbeTarget, { kind: 'grpc' }>;
  readonly insecure: boolean;
  readonly settle: (result: ProbeResult) => void;
  /** The connection failed. */
  readonly fail: (error: Error) => void;
}

const NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const MAX_BYTES = 65_536;

/** Asks `grpc.health.v1.Health/Check` once; the caller destroys the session. */
export function askGrpc({ target, insecure, settle, fail }: AskGrpcOptions): ClientHttp2Session {
  const { tls, authority, service } = target;
  const origin = `${tls ? 'https' : 'http'}://${authority}`;
  const session = connect(origin, { rejectUnauthorized: !insecure });
  session.on('error', fail);
  const stream = session.request({
    ':method': 'POST',
    ':path': `${GRPC_HEALTH_PATH}Check`,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let status: number | undefined;
  let grpc: Readonly<Record<string, unknown>> = {};
  let body = Buffer.alloc(0);
  stream.on('error', fail);
  stream.on('response', (headers) => {
    status = headers[':status'];
    grpc = headers;
  });
  stream.on('trailers', (trailers) => (grpc = trailers));
  stream.on('data', (chunk: Buffer) => {
    body = Buffer.concat([body, chunk]);
    if (body.length > MAX_BYTES) settle(failed('the answer is too long'));
  });
  stream.on('end', () => settle(judge(status, grpc, body)));
  stream.end(frameMessage(encodeService(service)));
  return session;
}

function judge(
  status: number | undefined,
  { 'grpc-status': code, 'grpc-message': message }: Readonly<Record<string, unknown>>,
  body: Uint8Array,
): ProbeResult {
  if (status === undefined) return failed('the connection was closed without an answer');
  if (status !== 200 || code === undefined)
    return failed(`HTTP ${status}, which is no answer of gRPC`);
  if (code !== '0') return failed(`gRPC status ${decode(code)}: ${decode(message)}`);
  try {
    const serving = decodeServingStatus(unframeMessage(body));
    const name = NAMES[serving] ?? String(serving);
    return serving === SERVING_STATUS.serving ? { pass: true, line: `pass ${name}` } : failed(name);
  } catch (error) {
    return failed((error as Error).message);
  }
}

/** The text of a header; gRPC percent-encodes its messages. */
function decode(message: unknown): string {
  const text = typeof message === 'string' ? message : 'nothing said';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
