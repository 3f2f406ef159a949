import { createSocket, type Socket } from 'node:dgram';
import type { DecodedPacket } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckTrace } from '../connection/check-trace.ts';
import type { NameServer } from './dns-exchange.ts';
import { type DnsQuery, encodeQuery, readResponse } from './dns-message.ts';

/** After which time a packet counts as lost and is sent again; the response to the first one is still taken. */
const RESEND_MS = 1_500;

/** How many packets that are not a response are ignored. */
const MAX_STRAY = 100;

/** A question that is on its way. Without a response it waits, and asks again, until it is closed. */
export interface Asked {
  readonly answered: Promise<{ readonly answer: DecodedPacket; readonly server: NameServer }>;
  close(): void;
}

/** Asks a name server after a while. */
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
    // Connected, so that only the server's packets are received, and a closed port is an error.
    socket.connect(port, address, send);
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
