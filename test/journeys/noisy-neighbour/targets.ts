import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { listen } from '@tocsin/runtime';

/** Starts a server that accepts connections and never sends anything. */
export async function startSilentServer(stack: AsyncDisposableStack): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
  });
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}

/** Starts a server that redirects to a host name of the given length. */
export async function startLongRedirect(stack: AsyncDisposableStack, letters: number): Promise<string> {
  const location = `http://${'a'.repeat(letters)}.example/`;
  const server = createServer((_request, response) => response.writeHead(302, { location }).end());
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}
