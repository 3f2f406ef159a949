import { createServer, type Server, type Socket } from 'node:net';
import type { CheckOutcome } from '@tocsin/enums';
import { listen } from '@tocsin/runtime';

/** A hostile target with the expected result of its check. */
export interface HostileTarget {
  readonly what: string;
  readonly start: (fixture: Fixture) => Promise<Started>;
  readonly outcome: CheckOutcome;
  /** Exact error text. `{peer}` stands for the target's address and port, `{port}` for its port. */
  readonly error: string;
}

export interface Started {
  readonly type: 'http' | 'tcp' | 'dns';
  readonly config: object;
  readonly port: number;
}

/** Starts servers on this machine. Stops all of them when it is disposed of. */
export class Fixture implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();

  /** Starts a TCP server that calls `onConnection` with every connection. Returns its port. */
  async tcp(onConnection: (socket: Socket) => void): Promise<number> {
    return this.listen(createServer((socket) => void onConnection(socket)));
  }

  async listen(server: Server, host = '127.0.0.1'): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      // Write errors are expected, because a check closes the connection when it has read enough.
      socket.on('error', () => {});
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const port = await listen(server, host, 0);
    this.#stack.defer(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return port;
  }

  defer(end: () => void): void {
    this.#stack.defer(end);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/**
 * Returns an http target that responds to every request with exactly these bytes, and then closes the connection or
 * leaves it open.
 */
export function answering(bytes: string | Buffer, then: 'close' | 'wait' = 'close', config: object = {}) {
  return (fixture: Fixture): Promise<Started> =>
    httpTarget(
      fixture,
      (socket) =>
        socket.once('data', () => {
          if (then === 'close') socket.end(bytes);
          else socket.write(bytes);
        }),
      config,
    );
}

/** Returns an http target that sends `start`, and then sends `again` repeatedly, as fast as the check reads it. */
export function pouring(start: string | Buffer, again: string | Buffer, config: object = {}) {
  return (fixture: Fixture): Promise<Started> =>
    httpTarget(
      fixture,
      (socket) =>
        socket.once('data', () => {
          const pour = () => {
            while (!socket.destroyed && socket.write(again));
          };
          socket.on('drain', pour);
          socket.write(start);
          pour();
        }),
      config,
    );
}

/** Returns an http target that sends `start`, and then sends `drop` every 20 ms. */
export function dripping(start: string, drop: string) {
  return (fixture: Fixture): Promise<Started> =>
    httpTarget(fixture, (socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 20);
      socket.once('close', () => clearInterval(timer));
    });
}

export async function httpTarget(
  fixture: Fixture,
  onConnection: (socket: Socket) => void,
  config: object = {},
): Promise<Started> {
  const port = await fixture.tcp(onConnection);
  return { type: 'http', port, config: { url: `http://127.0.0.1:${port}/`, ...config } };
}
