import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that is sent repeatedly. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the body of the request with the given number. */
  readonly body?: (index: number) => string;
  /** Number of concurrent requests. Defaults to 32. */
  readonly connections?: number;
  /** Requests per second. By default, the next request follows each response immediately. */
  readonly perSecond?: number;
}

export interface Figures {
  /** Number of requests that got a response. */
  readonly count: number;
  readonly perSecond: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 32;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Sends requests over several keep-alive connections for a number of seconds. The latency of a request does not include
 * the time in which its body is created. If a request is due while all connections are busy, its waiting time is part
 * of its latency.
 *
 * An HTTP client would use as much processor as the server, and its garbage collections of 20 ms would be the highest
 * latencies measured. So the requests are written to sockets, and only status and length of a response are read.
 * @throws Error if a response is neither 2xx nor 304, has no length, or a connection fails.
 */
export async function fire(origin: string, shot: Shot, seconds: number): Promise<Figures> {
  const { connections = CONNECTIONS, perSecond, body } = shot;
  const { host, hostname, port } = new URL(origin);
  const head = headOf(shot, host);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const times: number[] = [];
  let shots = 0;
  const began = performance.now();
  const until = began + seconds * 1000;

  async function shooter(socket: Socket): Promise<void> {
    for (;;) {
      shots += 1;
      const index = shots;
      const request = body ? withBody(head, body(index)) : `${head}\r\n`;
      const start = perSecond ? began + (index * 1000) / perSecond : performance.now();
      if (start >= until) return;
      if (start > performance.now()) await sleep(start - performance.now());
      await exchange(socket, request);
      times.push(performance.now() - start);
    }
  }

  await Promise.all(sockets.map(shooter));
  const elapsed = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
  return { count: times.length, perSecond: times.length / elapsed, p50: quantile(0.5), p99: quantile(0.99) };
}

function headOf({ method, path, headers }: Shot, host: string): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
}

function withBody(head: string, body: string): string {
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Sends a request and waits for the end of its response. */
function exchange(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return reject(new Error('the server closed a connection'));
    let head: Buffer = Buffer.alloc(0);
    /** Bytes of the response that have not arrived. Unknown until its head is complete. */
    let missing: number | undefined;
    const end = (error?: Error) => {
      socket.off('data', receive).off('error', end).off('close', closed);
      if (error) reject(error);
      else resolve();
    };
    const closed = () => end(new Error('the server closed a connection'));
    const receive = (chunk: Buffer) => {
      try {
        if (missing === undefined) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
          const length = lengthOf(head);
          if (length !== undefined) missing = length - head.length;
        } else missing -= chunk.length;
        if (missing !== undefined && missing < 0) throw new Error('a response is longer than its length');
        if (missing === 0) end();
      } catch (error) {
        end(error as Error);
      }
    };
    socket.on('data', receive).on('error', end).on('close', closed);
    socket.write(request);
  });
}

/** Returns the length of a response with its head in bytes, or undefined if the head is not complete. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  if (!/^HTTP\/1\.1 (2\d\d|304)/.test(head)) throw new Error(`unexpected response: ${received.toString()}`);
  const length = /^content-length: (\d+)/im.exec(head)?.[1] ?? (/^HTTP\/1\.1 (204|304)/.test(head) ? 0 : undefined);
  if (length === undefined) throw new Error(`a response without a length: ${head}`);
  return end + HEAD_END.length + Number(length);
}
