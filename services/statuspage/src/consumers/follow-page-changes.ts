import { fromBinary } from '@bufbuild/protobuf';
import type { NatsConnection } from '@nats-io/transport-node';
import { eventSubject } from '@tocsin/outbox';
import { PageUpdatedSchema, PublicPageChangedSchema } from '@tocsin/proto/statuspage/v1/events';

/** Receiver of page changes. */
interface Follower {
  markChanged(pageId: string): void;
  /**
   * Called with false when the connection is lost, and with true when it is back. Events in between may have been
   * missed.
   */
  setInformed(isInformed: boolean): void;
}

/**
 * Announces each change that visitors of a page can see. Subscribes without a JetStream consumer, because the events
 * before the subscription do not matter.
 */
export async function followPageChanges(nats: NatsConnection, follower: Follower): Promise<Disposable> {
  const subscriptions = [PageUpdatedSchema, PublicPageChangedSchema].map((schema) =>
    nats.subscribe(eventSubject(schema.typeName), {
      callback(error, message) {
        if (!error) follower.markChanged(fromBinary(schema, message.data).statusPageId);
      },
    }),
  );
  // After this call returns, the server has registered the subscriptions.
  await nats.flush();
  let isStopped = false;
  void (async () => {
    for await (const { type } of nats.status()) {
      if (isStopped) return;
      if (type === 'disconnect' || type === 'reconnect') follower.setInformed(type === 'reconnect');
    }
  })();
  return {
    [Symbol.dispose]() {
      isStopped = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
