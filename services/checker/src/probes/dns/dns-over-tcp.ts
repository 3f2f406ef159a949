import { connect } from 'node:net';
import type { DecodedPacket } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckTrace } from '../connection/check-trace.ts';
import type { NameServer } from './dns-exchange.ts';
import { type DnsQuery, encodeQuery, readResponse } from './dns-message.ts';

/** Sends a query over TCP, where each message of up to 64 KiB is preceded by its length (RFC 7766 §8). */
export function askOverTcp(query: DnsQuery, { address, port }: NameServer, trace: CheckTrace): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    trace.target = { host: address, port, address };
    trace.doing = `still waiting for the name server ${address} over TCP`;
    const socket = connect({ host: address, port });
    const close = () => socket.destroy();
    trace.close = close;
    const message = encodeQuery(query);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));

    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece]);
      const end = received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0);
      if (received.length < end) return;
      socket.destroy();
      try {
        const answer = readResponse(received.subarray(2, end), query);
        if (!answer) throw new CheckFailure('error', `${address} answered another question over TCP`);
        if (answer.flag_tc)
          throw new CheckFailure('error', 'the name server says over TCP, too, that its answer does not fit');
        resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () =>
      reject(new CheckFailure('error', `${address} closed the TCP connection in the middle of its response`)),
    );
  });
}
