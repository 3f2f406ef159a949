import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { JOB_STREAM, jobConsumer } from '@tocsin/work-queue';
import type { Regions } from '../app/ports.ts';

/** Returns a lookup that uses a region's consumer in the job stream to determine whether the region has a checker. */
export function natsRegions(nats: NatsConnection): Regions {
  const delivered = new Map<string, number>();
  return {
    async isServed(region) {
      const { consumers } = await jetstreamManager(nats, { checkAPI: false });
      try {
        const info = await consumers.info(JOB_STREAM, jobConsumer(region));
        const before = delivered.get(region);
        delivered.set(region, info.delivered.consumer_seq);
        // An idle checker has a pending pull request; a busy one has received jobs since the last call.
        return info.num_waiting > 0 || (before !== undefined && before < info.delivered.consumer_seq);
      } catch (error) {
        if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return false;
        throw error;
      }
    },
  };
}
