import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';

/** A request that a webhook receiver has received. */
export interface Received {
  readonly path: string;
  /** Id of the delivery of an alert to a channel. Repeats of the delivery have the same id. */
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly at: number;
}

/** A webhook receiver that accepts and records all requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Returns all requests to a path, including repeats. */
  requests(path: string): readonly Received[];
  /** Returns one request for each id. Deliveries are guaranteed at least once, and repeats have the same id. */
  alerts(path: string): readonly Received[];
}

/**
 * Starts a receiver on an address of this machine. Refuses other methods than POST: a monitor of another test may still
 * check this port, if a target of that test had it before.
 */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const text = Buffer.concat(await request.toArray()).toString();
    const id = String(request.headers['webhook-id'] ?? text);
    received.push({ path: request.url ?? '', id, body: JSON.parse(text), at: Date.now() });
    response.end('ok');
  });
  const port = await listen(server, host, 0);
  const requests = (path: string) => received.filter((request) => request.path === path);
  return {
    url: `http://${host}:${port}`,
    requests,
    alerts(path) {
      return [...Map.groupBy(requests(path), ({ id }) => id).values()].flatMap((repeats) => repeats.slice(0, 1));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
