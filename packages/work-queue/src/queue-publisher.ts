import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { PublishHealth } from '@tocsin/outbox';
import type { Runtime } from '@tocsin/runtime';
import { Counter } from 'prom-client';

export interface QueuePublisher {
  /**
   * Publishes a message. Resolves when the queue has stored it. A second message with the same id within two minutes is
   * dropped.
   * @throws Error if the queue rejects the message or does not respond within 5 seconds.
   */
  publish(subject: string, payload: Uint8Array, id?: string): Promise<void>;
}

const PUBLISH_TIMEOUT_MS = 5_000;

/**
 * Returns a publisher for a work queue. It counts failed calls of `publish` in `tocsin_queue_refused_total`. The
 * service becomes unready when calls have failed for 5 seconds without a success. `what` is a plural noun for the
 * messages, such as `check jobs`.
 */
export function createQueuePublisher(what: string, nats: NatsConnection, runtime: Runtime): QueuePublisher {
  const stream = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const health = new PublishHealth(what, runtime);
  const refused = new Counter({
    name: 'tocsin_queue_refused_total',
    help: 'Messages that a work queue refused; they are retried.',
    registers: [runtime.metrics],
  });
  return {
    async publish(subject, payload, id) {
      try {
        await stream.publish(subject, payload, id ? { msgID: id } : {});
        health.accepted();
      } catch (error) {
        refused.inc();
        health.refused(error);
        throw error;
      }
    },
  };
}
