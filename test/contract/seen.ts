import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RESULT_SUBJECT } from '@tocsin/check-queue';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome, type RegionResult, type RegionResultSchema } from '@tocsin/proto/monitor/v1/monitor';
import type { Network } from '../network.ts';

/** What a checker would have seen of a monitor, so many seconds ago; it passed, unless it is said otherwise. */
export type Seen = Exclude<MessageInitShape<typeof RegionResultSchema>, RegionResult> & { readonly secondsAgo: number };

/** Lets the installation have results of a monitor, as if its checkers had sent them. */
export async function sendSeen(network: Network, monitorId: string, ...results: Seen[]): Promise<void> {
  const nats = await connect({ servers: network.installation.nats?.url ?? '' });
  try {
    for (const { secondsAgo, ...result } of results) {
      const roundAt = timestampFromDate(new Date(Date.now() - secondsAgo * 1000));
      const defaults = { region: 'local', outcome: CheckOutcome.PASS, checkedAt: roundAt };
      const message = create(CheckResultSchema, { monitorId, roundAt, result: { ...defaults, ...result } });
      await jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, message));
    }
  } finally {
    await nats.close();
  }
}
