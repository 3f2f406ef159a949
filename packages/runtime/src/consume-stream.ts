import {
  AckPolicy,
  type ConsumerAPI,
  type ConsumerConfig,
  type ConsumerMessages,
  JetStreamApiError,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { startLoop } from './loop.ts';
import type { Runtime } from './runtime.ts';

type DurableConfig = Partial<ConsumerConfig> & { readonly durable_name: string };

export interface StreamConsumerOptions {
  /** Name of the work in log lines, such as "taking check jobs". */
  readonly name: string;
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  readonly stream: string;
  /**
   * Configuration of the durable consumer, which is created if it does not exist, and updated if another version of the
   * program has configured it differently. Messages are acknowledged explicitly.
   */
  readonly consumer: DurableConfig;
  /** Maximum number of messages that are fetched ahead. */
  readonly prefetch: number;
  /** Called before the consumer is created, at the start and after each interruption. */
  readonly prepare?: () => Promise<void>;
  /** Called with each message, in order. The next call waits until the returned promise settles. */
  readonly onMessage: (message: JsMsg) => Promise<void> | void;
}

const PAUSE_MS = 250;

/**
 * Duration of a pull request in milliseconds. The server confirms twice in this time that it has the request. When two
 * confirmations are missing, for example because a leaf node lost the central server, the client sends a new request.
 */
const PULL_MS = 10_000;

/**
 * PULL_MS of a service that shares its process, and therefore usually has a single NATS server next to it. Only a
 * restart of this server loses the request, and a new one is sent after the reconnection.
 */
const SHARED_PULL_MS = 30_000;

/** Error code of JetStream if a consumer of the same name has another configuration. */
const CONSUMER_EXISTS = 10_148;

/**
 * Consumes messages from a stream with a durable consumer, and restarts after interruptions. Disposing stops the
 * consumption, and returns to the stream the messages that were fetched ahead.
 */
export function consumeStream(options: StreamConsumerOptions): AsyncDisposable {
  const { name, nats, runtime, stream, consumer, prefetch, prepare, onMessage } = options;
  let messages: ConsumerMessages | undefined;
  let isStopped = false;

  async function consume(): Promise<'done'> {
    await prepare?.();
    const { consumers } = await jetstreamManager(nats);
    await ensureConsumer(consumers, stream, { ack_policy: AckPolicy.Explicit, ...consumer });
    const durable = await jetstream(nats).consumers.get(stream, consumer.durable_name);
    // Without this option, the client would wait forever if NATS lost its stored data and with it the consumer.
    messages = await durable.consume({
      max_messages: prefetch,
      expires: runtime.sharesProcess ? SHARED_PULL_MS : PULL_MS,
      abort_on_missing_resource: true,
    });
    if (isStopped) messages.stop();
    for await (const message of messages) {
      if (isStopped) message.nak();
      else await onMessage(message);
    }
    return 'done';
  }

  /**
   * Starts the consumption again after each reconnection. The client's own recovery asks for the consumer first, and if
   * that fails, because NATS is unavailable again or has not loaded the consumer yet, it waits for as long as a pull
   * request.
   */
  async function restartAfterReconnections(): Promise<void> {
    for await (const { type } of nats.status()) if (type === 'reconnect') messages?.stop();
  }

  void restartAfterReconnections();
  const loop = startLoop(name, PAUSE_MS, runtime, consume);
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      messages?.stop();
      await loop[Symbol.asyncDispose]();
    },
  };
}

async function ensureConsumer(consumers: ConsumerAPI, stream: string, config: DurableConfig): Promise<void> {
  try {
    // This call has no effect on an existing consumer with the same configuration.
    await consumers.add(stream, config);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === CONSUMER_EXISTS)) throw error;
    await consumers.update(stream, config.durable_name, config);
  }
}
