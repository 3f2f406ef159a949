import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BlockedAddressError, type Netguard, wordsFor } from '@tocsin/netguard';

export interface GuardedProxy extends AsyncDisposable {
  readonly port: number;
  /** Returns the reason why the latest connection to the host of a URL failed; undefined if it succeeded. */
  whyUnreachable(url: string): string | undefined;
}

const MAX_CONNECTIONS = 200;

/**
 * Starts an HTTP proxy on the loopback interface that dials through the guard. The browser has no other network access.
 * If the proxy can't connect, it closes the connection, so that no error page can be mistaken for a response from the
 * target.
 */
export async function startGuardedProxy(guard: Netguard): Promise<GuardedProxy> {
  const reasons = new Map<string, string>();
  const open = new Set<Duplex>();

  async function dial(host: string, port: number): Promise<Socket | undefined> {
    try {
      if (open.size >= MAX_CONNECTIONS) throw new Error(`more than ${MAX_CONNECTIONS} connections at once`);
      const socket = await guard.connect({ host, port });
      keep(socket);
      return socket;
    } catch (error) {
      const words =
        error instanceof BlockedAddressError ? error.message : wordsFor(error, { host, port, address: undefined });
      if (reasons.size < 1_000) reasons.set(`${host}:${port}`, words);
      return undefined;
    }
  }

  function keep(stream: Duplex): void {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    stream.on('error', () => stream.destroy());
  }

  const server = createServer((request, response) => void forward(request, response));
  server.on('connection', keep);
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(request, client, head));

  async function tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const { hostname, port } = URL.parse(`http://${url}`) ?? { hostname: '', port: '' };
    const target = hostname ? await dial(hostname, Number(port || 80)) : undefined;
    if (!target) return void client.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    await Promise.all([pipeline(client, target), pipeline(target, client)]).catch(() => {});
    target.destroy();
    client.destroy();
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const target = url?.protocol === 'http:' ? await dial(url.hostname, Number(url.port || 80)) : undefined;
    if (!url || !target) return void request.socket.destroy();
    const { 'proxy-connection': _ours, 'proxy-authorization': _none, ...headers } = request.headers;
    const onward = httpRequest({
      createConnection: () => target,
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, connection: 'close' },
    });
    try {
      const [upstream] = await Promise.all([
        new Promise<IncomingMessage>((resolve, reject) => onward.once('response', resolve).once('error', reject)),
        pipeline(request, onward),
      ]);
      response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, upstream.rawHeaders);
      await pipeline(upstream, response);
    } catch {
      request.socket.destroy();
    } finally {
      target.destroy();
    }
  }

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy listens on no port');
  return {
    port: address.port,
    whyUnreachable(url) {
      const target = URL.parse(url);
      const port = target?.port || (target?.protocol === 'https:' ? '443' : '80');
      return target ? reasons.get(`${target.hostname}:${port}`) : undefined;
    },
    async [Symbol.asyncDispose]() {
      for (const stream of open) stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
