import { createHash } from 'node:crypto';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import { checkTypes } from '@tocsin/enums';
import { CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import type { Runtime } from '@tocsin/runtime';
import { createQueuePublisher, jobSubject, REPLY_SUBJECT } from '@tocsin/work-queue';
import type { Checkers, CheckJob } from '../app/ports.ts';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import { resultFromProto } from '../wire/check-result.ts';

/**
 * Maximum number of jobs in one message. The number is limited, so that several checkers of a region can share the jobs
 * that are due at the same time.
 */
const BATCH = 50;

/** Returns a client that sends jobs to checkers through NATS. With `batches`, one message contains up to BATCH jobs. */
export function natsCheckers(
  nats: NatsConnection,
  runtime: Runtime,
  { batches }: { readonly batches: boolean },
): Checkers {
  const queue = createQueuePublisher('check jobs', nats, runtime);

  return {
    async send(jobs, regions) {
      const messages = inGroups(jobs, batches ? BATCH : 1).map(encode);
      await Promise.all(
        messages.flatMap((message) => {
          // The id depends only on the jobs, so jobs that are sent again after a crash do not run twice.
          const id = createHash('sha256').update(message).digest('base64');
          return regions.map((region) => queue.publish(jobSubject(region), message, `${id}:${region}`));
        }),
      );
    },
    async ask(job, regions, deadline) {
      const replyTo = createInbox(REPLY_SUBJECT);
      const results: CheckResult[] = [];
      const timeout = Math.max(1, deadline.getTime() - job.roundAt.getTime());
      const outcomes = nats.subscribe(replyTo, { max: regions.length });
      // The client's own timeout applies only to the first message.
      const timer = setTimeout(() => outcomes.unsubscribe(), timeout);
      const message = toBinary(CheckJobSchema, create(CheckJobSchema, { ...toProto(job), replyTo }));
      try {
        await Promise.all(regions.map((region) => queue.publish(jobSubject(region), message)));
        for await (const response of outcomes) {
          const result = resultFromProto(fromBinary(CheckResultSchema, response.data));
          if (result) results.push(result);
        }
      } finally {
        clearTimeout(timer);
        outcomes.unsubscribe();
      }
      return results;
    },
  };
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function encode(jobs: readonly CheckJob[]): Uint8Array {
  const batch = jobs.map(toProto);
  return toBinary(CheckJobSchema, create(CheckJobSchema, batch.length === 1 ? batch[0] : { batch }));
}

function toProto(job: CheckJob): MessageInitShape<typeof CheckJobSchema> {
  return {
    monitorId: job.monitorId,
    organizationId: job.organizationId,
    checkType: checkTypes.toValue(job.checkType),
    configVersion: BigInt(job.configVersion),
    roundAt: timestampFromDate(job.roundAt),
    startBefore: timestampFromDate(job.startBefore),
  };
}
