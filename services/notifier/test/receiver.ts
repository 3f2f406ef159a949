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
  /** Returns the number of connections that were opened, with or without requests. */
  connections(): number;
  /** Returns the received requests on a path. A `*` at the end matches every path with this beginning. */
  on(path: string): Received[];
  /**
   * Sets the response to requests on a path, which may end with `*`. `nth` counts the requests from 0. The default
   * response is a 204.
   */
  answer(path: string, respond: (nth: number) => Answer | Promise<Answer>): void;
}

/** Starts an HTTP server that records the received requests. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const responders = new Map<string, (nth: number) => Answer | Promise<Answer>>();
  const matches = (path: string, wanted: string) =>
    wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;
  const on = (wanted: string) => received.filter(({ path }) => matches(path, wanted));
  const responderOf = (path: string) => {
    const wanted = responders.has(path) ? path : [...responders.keys()].find((pattern) => matches(path, pattern));
    return wanted === undefined ? undefined : { wanted, respond: responders.get(wanted) };
  };

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const responder = responderOf(path);
    const nth = on(responder?.wanted ?? path).length;
    received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() });
    const { status, headers = {}, body = '' } = (await responder?.respond?.(nth)) ?? { status: 204 };
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
