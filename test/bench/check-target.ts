import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CheckTarget } from './checks.ts';

/** Runs the target of the checks in a separate process. The target responds to every request with a few bytes. */
process.once('message', ({ tls }: CheckTarget) => {
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('request', (_request, response) => response.end('fine'));
  server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
});
