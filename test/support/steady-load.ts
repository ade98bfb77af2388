import { Agent, request } from 'node:http';

/** Requests sent at a fixed rate, whatever becomes of them. */
export interface SteadyLoad {
  readonly sent: number;
  /** One line for each request that was not answered with 200. */
  readonly failures: readonly string[];
  /** Stops sending; resolves once everything sent has ended. */
  stop(): Promise<void>;
}

const TICK_MS = 5;

/** Sends GET and POST in turn over kept-alive connections. */
export function startSteadyLoad(port: number, perSecond: number): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const sendOne = (): void => {
    const method = sent % 2 === 0 ? 'GET' : 'POST';
    sent += 1;
    const done = send(agent, port, method).then((failure) => {
      if (failure !== undefined) failures.push(`${method} ${failure}`);
      open.delete(done);
    });
    open.add(done);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (sent < due) sendOne();
  }, TICK_MS);
  return {
    get sent() {
      return sent;
    },
    failures,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

/** Resolves with what went wrong, or with nothing. */
function send(agent: Agent, port: number, method: string): Promise<string | undefined> {
  const body = method === 'POST' ? 'x'.repeat(1000) : '';
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, method, agent, timeout: 20_000 });
    call.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const isRight = response.statusCode === 200 && text === `${method} ${body.length}`;
        resolve(isRight ? undefined : `${response.statusCode}: ${text.slice(0, 60)}`);
      });
      response.on('error', (error) => resolve(String(error)));
    });
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', (error) => resolve(String(error)));
    call.end(body);
  });
}
