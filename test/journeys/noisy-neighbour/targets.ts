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

/** About as many headers as a response can have within the bound of the checker. */
const HEADERS = 'a:\r\n'.repeat(1_900);

/**
 * Starts a server that redirects each request to itself with as many headers as a check reads. Each response follows
 * the given number of interim responses with as many headers.
 */
export async function startManyHeaders(stack: AsyncDisposableStack, interim: number): Promise<string> {
  let requests = 0;
  const before = `HTTP/1.1 103 Early Hints\r\n${HEADERS}\r\n`.repeat(interim);
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      requests += 1;
      socket.end(`${before}HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: /${requests}\r\n${HEADERS}\r\n`);
    });
  });
  stack.defer(() => void server.close());
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}
