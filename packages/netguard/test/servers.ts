import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server, by default on a free port, and returns the port. The server is closed when the test ends. */
export async function listen(server: Server, host: string, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a server that sends its name to each client. */
export function naming(name: string): Server {
  return createServer((socket) => socket.on('error', () => {}).end(name));
}

export async function serveHttp(host: string, listener: RequestListener): Promise<string> {
  const port = await listen(createHttpServer(listener), host);
  return `http://${host}:${port}`;
}
