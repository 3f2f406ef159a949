import { createSocket, type Socket } from 'node:dgram';
import type { DecodedPacket } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckTrace } from '../connection/check-trace.ts';
import type { NameServer } from './dns-exchange.ts';
import { type DnsQuery, encodeQuery, readResponse } from './dns-message.ts';

/** Milliseconds before the query is sent again. A response to the first packet is still accepted. */
const RESEND_MS = 1_500;

/** Number of unrelated packets after which the query fails. */
const MAX_STRAY = 100;

/** A pending query. It is repeated until there is a response or the query is closed. */
export interface Asked {
  readonly answered: Promise<{ readonly answer: DecodedPacket; readonly server: NameServer }>;
  close(): void;
}

/** Sends a query over UDP after a delay in milliseconds. */
export function askOverUdp(query: DnsQuery, server: NameServer, delayMs: number, trace: CheckTrace): Asked {
  const { address, port } = server;
  const { promise: answered, resolve, reject } = Promise.withResolvers<Awaited<Asked['answered']>>();
  const message = encodeQuery(query);
  let socket: Socket | undefined;
  let stray = 0;
  let timer = setTimeout(begin, delayMs);

  function begin(): void {
    socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', fail);
    socket.on('message', take);
    // Not a callback of connect(): it would also be called with an error, for example if there is no route.
    socket.once('connect', send);
    // A connected socket receives packets only from the server, and reports a closed port.
    socket.connect(port, address);
  }

  function send(): void {
    if (!socket) return;
    socket.send(message);
    timer = setTimeout(send, RESEND_MS);
  }

  function take(packet: Buffer): void {
    try {
      const answer = readResponse(packet, query);
      if (answer) resolve({ answer, server });
      else countStray();
    } catch (error) {
      fail(error);
    }
  }

  function countStray(): void {
    stray += 1;
    trace.doing = `got ${stray} answers to another question from ${address}`;
    if (stray >= MAX_STRAY) throw new CheckFailure('error', `${address} sent ${stray} answers to another question`);
  }

  function fail(error: unknown): void {
    reject(error);
    close();
  }

  function close(): void {
    clearTimeout(timer);
    socket?.close();
    socket = undefined;
  }

  return { answered, close };
}
