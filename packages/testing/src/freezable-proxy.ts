import { connect, createServer, type Socket } from 'node:net';
import { listen } from '@tocsin/runtime';

/** A TCP proxy that can make connections hang, as they do when a host vanishes from the network. */
export interface FreezableProxy extends AsyncDisposable {
  readonly port: number;
  /** Stops forwarding on all open connections without closing them. New connections are forwarded. */
  freeze(): void;
}

/** Starts a proxy for connections to a port of this machine. */
export async function startFreezableProxy(targetPort: number): Promise<FreezableProxy> {
  const pairs: (readonly [Socket, Socket])[] = [];
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    port,
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of pairs.flat()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
