import { fromBinary } from '@bufbuild/protobuf';
import type { NatsConnection } from '@nats-io/transport-node';
import { PageUpdatedSchema, PublicPageChangedSchema } from '@tocsin/proto/statuspage/v1/events';
import type { PageCache } from './page-cache.ts';

/**
 * Marks pages as outdated when they change. Subscribes without a JetStream consumer, because every replica must receive
 * each event. When the connection to NATS is lost and when it is restored, all pages are marked as outdated, because
 * events may have been missed.
 */
export function followChanges(nats: NatsConnection, cache: PageCache): void {
  for (const schema of [PageUpdatedSchema, PublicPageChangedSchema]) {
    nats.subscribe(`event.${schema.typeName}`, {
      callback(error, message) {
        if (error) return;
        cache.markChanged(fromBinary(schema, message.data).statusPageId, schema === PageUpdatedSchema);
      },
    });
  }
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect' || type === 'reconnect') cache.setInformed(type === 'reconnect');
    }
  })();
}
