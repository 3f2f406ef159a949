import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawFigures {
  readonly count: number;
  readonly perSecond: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 32;

/**
 * Sends the same GET request over keep-alive connections for a number of seconds. Each connection sends the next
 * request when a response is complete. Only the first response is parsed, and all others must have the same length.
 * This costs much less than an HTTP client, so the server is the bottleneck.
 */
export async function fireRaw(
  url: URL,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<RawFigures> {
  const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const [first] = sockets;
  if (!first) throw new Error('no connection');
  const length = await lengthOfResponse(first, request);
  const times: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(sockets.map((socket) => repeat(socket, { request, length, until, times })));
  const elapsed = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
  return { count: times.length, perSecond: times.length / elapsed, p50: quantile(0.5), p99: quantile(0.99) };
}

/**
 * Returns the size in bytes of a response with its headers.
 * @throws Error if its status is not 200 or 304.
 */
async function lengthOfResponse(socket: Socket, request: Buffer): Promise<number> {
  socket.write(request);
  let received = Buffer.alloc(0);
  for (;;) {
    const [chunk] = await once(socket, 'data');
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) continue;
    const head = received.subarray(0, end).toString();
    if (!/^HTTP\/1\.1 (200|304)/.test(head)) throw new Error(`unexpected response: ${head}`);
    const total = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (received.length >= total) return total;
  }
}

interface Shots {
  readonly request: Buffer;
  readonly length: number;
  readonly until: number;
  readonly times: number[];
}

function repeat(socket: Socket, { request, length, until, times }: Shots): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = length;
    let start = performance.now();
    socket.on('error', reject).on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      missing -= chunk.length;
      if (missing < 0) return reject(new Error('a response is longer than the first one'));
      if (missing > 0) return;
      const now = performance.now();
      times.push(now - start);
      if (now >= until) return resolve();
      missing = length;
      start = now;
      socket.write(request);
    });
    socket.write(request);
  });
}
