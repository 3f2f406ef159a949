import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import { checkTypes } from '@tocsin/enums';
import { CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import type { Runtime } from '@tocsin/runtime';
import { createQueuePublisher, jobSubject, REPLY_SUBJECT } from '@tocsin/work-queue';
import type { Checkers, CheckJob } from '../app/ports.ts';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import { resultFromProto } from '../wire/check-result.ts';

/** Returns a client that sends jobs to checkers through NATS. */
export function natsCheckers(nats: NatsConnection, runtime: Runtime): Checkers {
  const queue = createQueuePublisher('check jobs', nats, runtime);

  function encode(job: CheckJob, replyTo: string): Uint8Array {
    return toBinary(
      CheckJobSchema,
      create(CheckJobSchema, {
        monitorId: job.monitorId,
        organizationId: job.organizationId,
        checkType: checkTypes.toValue(job.checkType),
        configVersion: BigInt(job.configVersion),
        roundAt: timestampFromDate(job.roundAt),
        startBefore: timestampFromDate(job.startBefore),
        replyTo,
      }),
    );
  }

  return {
    async send(jobs, regions) {
      await Promise.all(
        jobs.flatMap((job) => {
          const message = encode(job, '');
          const round = `${job.monitorId}:${job.roundAt.getTime()}`;
          return regions.map((region) => queue.publish(jobSubject(region), message, `${round}:${region}`));
        }),
      );
    },
    async ask(job, regions, deadline) {
      const replyTo = createInbox(REPLY_SUBJECT);
      const results: CheckResult[] = [];
      const timeout = Math.max(1, deadline.getTime() - job.roundAt.getTime());
      const outcomes = nats.subscribe(replyTo, { max: regions.length, timeout });
      const message = encode(job, replyTo);
      await Promise.all(regions.map((region) => queue.publish(jobSubject(region), message)));
      try {
        for await (const response of outcomes) {
          const result = resultFromProto(fromBinary(CheckResultSchema, response.data));
          if (result) results.push(result);
        }
      } catch (error) {
        // At least one region did not respond in time; the results of the others are returned.
        if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
      } finally {
        outcomes.unsubscribe();
      }
      return results;
    },
  };
}
