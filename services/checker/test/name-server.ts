import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listen } from '@tocsin/runtime';
import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet';

/** A question that the server received. */
export interface Asked {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly over: 'udp' | 'tcp';
  /** Number of questions received before this one. */
  readonly before: number;
}

export interface NameServer extends AsyncDisposable {
  readonly port: number;
  readonly asked: readonly Asked[];
}

/**
 * Returns the responses to a question as complete DNS messages, one packet each. Over TCP, the server adds the length
 * prefixes.
 */
export type Behaviour = (question: Asked) => readonly Buffer[];

export interface NameServerOptions {
  readonly host?: string;
  /** Number of bytes of a TCP response after which the server closes the connection. */
  readonly cutAt?: number;
}

/** Starts a name server for tests, on the same port over UDP and TCP. */
export async function startNameServer(
  behave: Behaviour,
  { host = '127.0.0.1', cutAt }: NameServerOptions = {},
): Promise<NameServer> {
  const asked: Asked[] = [];
  const take = (message: Buffer, over: Asked['over']): readonly Buffer[] => {
    const { id = 0, questions }: DecodedPacket = decode(message);
    const question = { id, name: questions?.[0]?.name ?? '', type: questions?.[0]?.type ?? '', over };
    asked.push({ ...question, before: asked.length });
    return behave({ ...question, before: asked.length - 1 });
  };

  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
    socket.once('data', (bytes) => {
      const messages = take(bytes.subarray(2), 'tcp').flatMap((message) => [lengthOf(message), message]);
      if (cutAt === undefined) socket.write(Buffer.concat(messages));
      else socket.end(Buffer.concat(messages).subarray(0, cutAt));
    });
  });
  const port = await listen(tcp, host, 0);
  const udp: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (message, { port: from, address }) => {
    for (const answer of take(message, 'udp')) udp.send(answer, from, address);
  });
  udp.bind(port, host);
  await once(udp, 'listening');

  return {
    port,
    asked,
    async [Symbol.asyncDispose]() {
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
    },
  };
}

export interface Reply {
  readonly answers?: Answer[];
  /** Response code; 3 is NXDOMAIN (RFC 1035 §4.1.1). */
  readonly code?: number;
  readonly truncated?: boolean;
}

/** Returns a well-formed response to a question. */
export function reply({ id, name, type }: Asked, { answers = [], code = 0, truncated = false }: Reply): Buffer {
  const flags = AUTHORITATIVE_ANSWER | code | (truncated ? TRUNCATED_RESPONSE : 0);
  // A question may have any DNS record type, but the TypeScript types of the library allow only some.
  const questions = [{ name, type: type as Answer['type'] & 'A', class: 'IN' as const }];
  return encode({ type: 'response', id, flags, questions, answers });
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return length;
}
