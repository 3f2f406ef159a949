import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

const LISTENS_AND_SLEEPS = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

export interface FullServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts a server whose port neither accepts nor refuses connections, because its accept queue is full. To a client, a
 * host behind a firewall looks the same.
 */
export async function startFullServer(): Promise<FullServer> {
  const worker = new Worker(LISTENS_AND_SLEEPS, { eval: true });
  const [port]: number[] = await once(worker, 'message');
  if (port === undefined) throw new Error('the server reported no port');
  // Open more connections than the accept queue can hold, so that the kernel ignores further connections.
  const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.race(waiting.map((socket) => once(socket, 'connect')));
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      await worker.terminate();
    },
  };
}
