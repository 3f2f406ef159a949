import { fromBinary } from '@bufbuild/protobuf';
import type { NatsConnection } from '@nats-io/transport-node';
import { PageUpdatedSchema, PublicPageChangedSchema } from '@tocsin/proto/statuspage/v1/events';
import type { PageCache } from './page-cache.ts';
import type { RecentAnswers } from './recent-answers.ts';

/**
 * Marks pages as outdated when they change. Subscribes without a JetStream consumer, because every replica must receive
 * each event. When the connection to NATS is lost and when it is restored, all pages are marked as outdated, because
 * events may have been missed.
 */
export function followChanges(
  nats: NatsConnection,
  { cache, answers }: { readonly cache: PageCache; readonly answers: readonly RecentAnswers[] },
): void {
  for (const schema of [PageUpdatedSchema, PublicPageChangedSchema]) {
    nats.subscribe(`event.${schema.typeName}`, {
      callback(error, message) {
        if (error) return;
        const mayMove = schema === PageUpdatedSchema;
        if (mayMove) for (const each of answers) each.markChanged();
        cache.markChanged(fromBinary(schema, message.data).statusPageId, mayMove);
      },
    });
  }
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      for (const each of answers) each.markChanged();
      cache.setInformed(type === 'reconnect');
    }
  })();
}
