import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { openSecrets } from '@tocsin/local/secrets';
import { CheckConfigService, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome, type RegionResult, type RegionResultSchema } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, createTokenSource, createTransport, natsOptions } from '@tocsin/runtime';
import { RESULT_SUBJECT } from '@tocsin/work-queue';
import type { Network } from '../network.ts';

/** A check result from the given number of seconds ago. It is a pass by default. */
export type Seen = Exclude<MessageInitShape<typeof RegionResultSchema>, RegionResult> & { readonly secondsAgo: number };

/** Publishes results for a monitor as a checker does. Returns the times of the rounds. */
export async function sendSeen(network: Network, monitorId: string, ...results: Seen[]): Promise<Date[]> {
  const rounds: Date[] = [];
  const nats = await connect(natsOptions(network.installation.nats?.url ?? ''));
  try {
    for (const { secondsAgo, ...result } of results) {
      const round = new Date(Date.now() - secondsAgo * 1000);
      rounds.push(round);
      const roundAt = timestampFromDate(round);
      const defaults = { region: 'local', outcome: CheckOutcome.PASS, checkedAt: roundAt };
      const message = create(CheckResultSchema, { monitorId, roundAt, result: { ...defaults, ...result } });
      await jetstream(nats).publish(RESULT_SUBJECT, toBinary(CheckResultSchema, message));
    }
    return rounds;
  } finally {
    await nats.close();
  }
}

/** First bytes of a JPEG. Tocsin checks only these. */
export const PICTURE = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3);

/** Publishes a screenshot of a failed round as the checker in the region `local` does. */
export async function sendPicture(network: Network, monitorId: string, roundAt: Date): Promise<void> {
  const { grpc } = network.installation.bootstrap;
  const secret = (await openSecrets(network.dataDir)).services.checker;
  const tokens = createTokenSource({ service: 'checker', secret, identityUrl: `http://${grpc.identity}` });
  const monitor = createRpcClient(
    CheckConfigService,
    createTransport({ url: `http://${grpc.monitor}`, service: 'monitor', tokens }),
  );
  await monitor.keepScreenshot({ monitorId, roundAt: timestampFromDate(roundAt), region: 'local', image: PICTURE });
}
