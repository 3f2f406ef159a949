import type { DnsRecordType } from '@tocsin/enums';
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';

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
    throw new CheckFailure('error', 'the name server answered with a damaged DNS message');
  }
  const [question] = answer.questions ?? [];
  // Some servers omit the question when they refuse a query.
  const isOurs = !question || (question.type === type && question.name.toLowerCase() === name.toLowerCase());
  return answer.type === 'response' && isOurs ? answer : undefined;
}
