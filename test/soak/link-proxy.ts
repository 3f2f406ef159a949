import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@tocsin/runtime';
import type { Cut } from './fault.ts';

/** A TCP proxy that can interrupt or slow down the connections that it forwards. */
export interface LinkProxy extends AsyncDisposable {
  readonly port: number;
  /** Number of connections that were accepted. */
  readonly connections: number;
  cut(how: Cut): void;
  restore(): void;
}

const SLOW_MS = 400;

/** Starts a proxy for connections to a port of this machine. */
export async function startLinkProxy(targetPort: number): Promise<LinkProxy> {
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let connections = 0;
  let restored = Promise.withResolvers<void>();

  /**
   * Returns a stream that forwards data. It holds data back while `isHeld` returns true for the current interruption
   * (`cut`), and delays data while the link is slow.
   */
  const passage = (isHeld: (how: Cut | undefined) => boolean) =>
    new Transform({
      async transform(chunk, _encoding, done) {
        while (isHeld(cut)) await restored.promise;
        if (cut === 'slow') await sleep(SLOW_MS);
        done(null, chunk);
      },
    });

  const server = createServer((near) => {
    if (cut === 'refused') return void near.destroy();
    connections += 1;
    const far = connect({ host: '127.0.0.1', port: targetPort });
    const ends = [near, far];
    const drop = () => {
      for (const socket of ends) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of ends) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', drop).on('close', drop);
    }
    near.pipe(passage((how) => how === 'frozen')).pipe(far);
    far.pipe(passage((how) => how === 'frozen' || how === 'mute')).pipe(near);
  });
  const port = await listen(server, '127.0.0.1', 0);
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    get connections() {
      return connections;
    },
    cut(how) {
      cut = how;
      restored = Promise.withResolvers();
      if (how === 'refused') dropAll();
    },
    restore() {
      cut = undefined;
      restored.resolve();
    },
    async [Symbol.asyncDispose]() {
      cut = undefined;
      restored.resolve();
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
