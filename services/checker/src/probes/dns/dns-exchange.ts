import { randomInt } from 'node:crypto';
import type { DecodedPacket } from 'dns-packet';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckTrace } from '../connection/check-trace.ts';
import type { DnsQuery } from './dns-message.ts';
import { askOverTcp } from './dns-over-tcp.ts';
import { type Asked, askOverUdp } from './dns-over-udp.ts';

/** Address of a name server. */
export interface NameServer {
  readonly address: string;
  readonly port: number;
}

/** Milliseconds without a response after which the next name server is queried as well. */
const NEXT_SERVER_MS = 2_000;

/**
 * Sends a query over UDP, and repeats it over TCP if the response is truncated. Queries one more server each time
 * NEXT_SERVER_MS pass without a response, and returns the first response. The caller is responsible for a timeout.
 */
export async function askDns(
  question: Omit<DnsQuery, 'id'>,
  servers: readonly NameServer[],
  trace: CheckTrace,
): Promise<DecodedPacket> {
  const [first] = servers;
  if (!first) throw new CheckFailure('error', 'this checker has no name server to ask');
  trace.target = { host: first.address, port: first.port, address: first.address };
  trace.doing = `still waiting for the name server ${first.address}`;
  const query = { id: randomInt(0x1_0000), ...question };
  const asked = servers.map((server, index) => askOverUdp(query, server, index * NEXT_SERVER_MS, trace));
  const close = () => closeAll(asked);
  trace.close = close;
  try {
    const { answer, server } = await Promise.any(asked.map((one) => one.answered));
    closeAll(asked);
    return answer.flag_tc ? await askOverTcp(query, server, trace) : answer;
  } catch (error) {
    // Every server failed. Report the error of the preferred server.
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

function closeAll(asked: readonly Asked[]): void {
  for (const one of asked) one.close();
}
