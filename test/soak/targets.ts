import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import type { Response } from './evidence.ts';

/** Targets of http checks on one port, each at its own path. */
export interface Targets extends AsyncDisposable {
  readonly responses: readonly Response[];
  urlOf(target: string): string;
  /** Sets the status of a target's responses. */
  set(target: string, status: number): void;
}

export async function startTargets(): Promise<Targets> {
  const responses: Response[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    const target = decodeURIComponent(request.url?.slice(1) ?? '');
    const status = statuses.get(target) ?? 200;
    responses.push({ target, at: Date.now(), status });
    response.writeHead(status).end();
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    responses,
    urlOf: (target) => `http://127.0.0.1:${port}/${encodeURIComponent(target)}`,
    set: (target, status) => void statuses.set(target, status),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
