import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Ends each connection with its next response once the signal is aborted. A client could otherwise send a request on a
 * connection that is being closed, and would get no response.
 */
export function endConnectionsAfter(app: FastifyInstance, signal: AbortSignal): void {
  app.server.prependListener('request', (_request, response: ServerResponse) => {
    if (signal.aborted) response.shouldKeepAlive = false;
  });
}
