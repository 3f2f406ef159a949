import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';

/** A monitored target that a test can break and repair. */
export interface Target extends AsyncDisposable {
  readonly url: string;
  /** Number of requests that the target has received. */
  readonly requests: number;
  break(): void;
  repair(): void;
}

export async function startTarget(): Promise<Target> {
  let broken = false;
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(broken ? 502 : 200).end(broken ? 'broken' : 'fine');
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/health`,
    get requests() {
      return requests;
    },
    break() {
      broken = true;
    },
    repair() {
      broken = false;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
