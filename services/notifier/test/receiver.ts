import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** How many were opened, whatever was said on them. */
  connections(): number;
  /** Those that came on this path. */
  on(path: string): Received[];
  /** Returns requests on a path: `nth` counts them from 0. 204 unless said otherwise. */
  answer(path: string, respond: (nth: number) => Answer | Promise<Answer>): void;
}

/** A real HTTP server that remembers what it got. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const responders = new Map<string, (nth: number) => Answer | Promise<Answer>>();
  const on = (path: string) => received.filter((request) => request.path === path);

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const nth = on(path).length;
    received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() });
    const { status, headers = {}, body = '' } = (await responders.get(path)?.(nth)) ?? { status: 204 };
    response.writeHead(status, headers).end(body);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    on,
    answer: (path, respond) => void responders.set(path, respond),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
