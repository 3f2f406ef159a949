import type { DnsRecordType } from '@tocsin/enums';
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';

/** Size of the header of a message (RFC 1035 §4.1.1). */
const HEADER_BYTES = 12;

/** A DNS question with the id of its message. */
export interface DnsQuery {
  readonly id: number;
  readonly name: string;
  readonly type: DnsRecordType;
}

export function encodeQuery({ id, name, type }: DnsQuery): Buffer {
  return encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ name, type, class: 'IN' }] });
}

/**
 * Decodes a response; undefined if it belongs to another question.
 * @throws CheckFailure when the id matches but the message is malformed.
 */
export function readResponse(packet: Buffer, { id, name, type }: DnsQuery): DecodedPacket | undefined {
  if (packet.length < 2 || packet.readUInt16BE(0) !== id) return undefined;
  let answer: DecodedPacket;
  try {
    answer = decode(packet);
  } catch {
    const header = headerOf(packet);
    // A truncated response may end in the middle of a record. The query is repeated over TCP.
    if (header?.flag_tc) return header;
    throw new CheckFailure('error', 'the name server answered with a damaged DNS message');
  }
  const [question] = answer.questions ?? [];
  // Some servers omit the question when they refuse a query.
  const isOurs = !question || (question.type === type && question.name.toLowerCase() === name.toLowerCase());
  return answer.type === 'response' && isOurs ? answer : undefined;
}

/** Decodes the header of a message, without its records; undefined if the message is shorter than a header. */
function headerOf(packet: Buffer): DecodedPacket | undefined {
  return packet.length < HEADER_BYTES ? undefined : decode(Buffer.concat([packet.subarray(0, 4), Buffer.alloc(8)]));
}
