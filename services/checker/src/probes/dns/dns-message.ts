import type { DnsRecordType } from '@tocsin/enums';
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';

/** A question, with the id that its response must have. */
export interface DnsQuery {
  readonly id: number;
  readonly name: string;
  readonly type: DnsRecordType;
}

export function encodeQuery({ id, name, type }: DnsQuery): Buffer {
  return encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ name, type, class: 'IN' }] });
}

/**
 * Returns undefined for a response to another question.
 *
 * @throws CheckFailure for what has the right number, but is no DNS message.
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
  // Some servers leave the question out when they refuse.
  const isOurs = !question || (question.type === type && question.name.toLowerCase() === name.toLowerCase());
  return answer.type === 'response' && isOurs ? answer : undefined;
}
