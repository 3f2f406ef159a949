import { isRetryable, type Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { backoff } from '@tocsin/runtime';
import type { ConsumerOptions } from './consumer.ts';
import type { Meters } from './consumer-metrics.ts';
import type { EventMeta } from './event.ts';
import type { EventBacklog } from './event-backlog.ts';
import type { EncodedEvent } from './handler.ts';
import { metaOf } from './headers.ts';
import { type Claim, claimEvent, claimEvents } from './inbox.ts';
import type { ReceivedMessage } from './received-message.ts';
import type { StreamReach } from './stream-reach.ts';

/** Context of a consumer's deliveries. */
export interface Delivery {
  readonly options: ConsumerOptions;
  readonly meters: Meters;
  /** Number of non-transient failures by event id, in this process. */
  readonly failures: Map<string, number>;
  readonly reach: StreamReach;
  readonly backlog: Pick<EventBacklog, 'takeEarly'>;
}

/** Number of non-transient failures after which an event becomes a dead letter. */
const TRIES = 5;

/**
 * Maximum pause before an event is handled again, in milliseconds. It is short, because an alert may wait for the event
 * after the end of an outage of the database.
 */
const MAX_PAUSE_MS = 3_000;

/** Number of transient failures of an event that are logged. */
const LOGGED_DELIVERIES = 5;

/**
 * If the predecessor of an event is missing, the current state of the stream is read after this number of deliveries.
 * The state shows whether the stream has discarded the predecessor.
 */
const EARLY_DELIVERIES = 10;

/**
 * Returns whether a message may be handled in one transaction with others: if no handler has to run, or the handler
 * supports it. A message that was delivered before may have failed, and is handled alone.
 */
export function mayShareTransaction(
  message: ReceivedMessage,
  { handlers }: Pick<ConsumerOptions, 'handlers'>,
): boolean {
  const type = message.headers?.get('Tocsin-Type') ?? '';
  const handler = handlers.find((each) => each.type === type);
  return type !== '' && (!handler || handler.handleTogether !== undefined) && message.info.deliveryCount === 1;
}

/**
 * Handles messages of one organization and of different aggregates in one transaction. If that fails, or if one of the
 * events is not the next one of its aggregate, the transaction is rolled back, and each message is handled alone. A
 * message that fails therefore affects no other. Never throws.
 */
export async function deliverTogether(messages: readonly ReceivedMessage[], delivery: Delivery): Promise<void> {
  if (messages.length > 1 && (await tryTogether(messages, delivery))) return;
  for (const message of messages) await deliver(message, delivery);
}

/** Returns whether all messages were handled. If not, nothing was changed, and no message was settled. */
async function tryTogether(messages: readonly ReceivedMessage[], { options, meters }: Delivery): Promise<boolean> {
  const { name, database, handlers, runtime } = options;
  const events: EncodedEvent[] = [];
  for (const { headers, data: payload } of messages) {
    const meta = metaOf(headers);
    if (!meta) return false;
    events.push({ meta, payload });
  }
  const metas = events.map(({ meta }) => meta);
  const [{ organizationId } = { organizationId: '' }] = metas;
  try {
    await database.transaction({ organizationId }, async (tx) => {
      // The first statement of the handlers is sent together with the claim. If that fails, both are rolled back.
      const [areNext] = await Promise.all([claimEvents(tx, name, metas), handleTogether(events, handlers, tx)]);
      if (!areNext) throw new NotNextError();
    });
  } catch (error) {
    runtime.logger.debug({ err: error, consumer: name }, 'events not handled together; handling each alone');
    return false;
  }
  for (const { type } of metas) meters.handled.inc({ consumer: name, type });
  for (const message of messages) message.ack();
  return true;
}

async function handleTogether(
  events: readonly EncodedEvent[],
  handlers: ConsumerOptions['handlers'],
  tx: Transaction,
): Promise<void> {
  for (const [type, ofType] of Map.groupBy(events, ({ meta }) => meta.type)) {
    await handlers.find((each) => each.type === type)?.handleTogether?.(ofType, tx);
  }
}

/**
 * Claims an event and runs its handler. The first statement of the handler is sent together with the claim.
 * @throws NotNextError if the event is not the next one of its aggregate, even if the handler has failed.
 */
async function claimAndHandle({ meta, payload }: EncodedEvent, tx: Transaction, options: ConsumerOptions) {
  const handle = async () => options.handlers.find(({ type }) => type === meta.type)?.decode(payload)(meta, tx);
  const [claimed, handled] = await Promise.allSettled([claimEvents(tx, options.name, [meta]), handle()]);
  if (claimed.status === 'rejected') throw claimed.reason;
  if (!claimed.value) throw new NotNextError();
  if (handled.status === 'rejected') throw handled.reason;
}

/** Rolls back a transaction in which an event is not the next one of its aggregate. */
class NotNextError extends Error {
  override readonly name = 'NotNextError';
}

/**
 * Handles one message in one transaction, and then acknowledges it.
 * A transient failure delays the message. A message that fails repeatedly for other reasons becomes a dead letter.
 * Never throws.
 */
export async function deliver(message: ReceivedMessage, delivery: Delivery): Promise<void> {
  const { options, meters, failures } = delivery;
  const { name, runtime } = options;
  const meta = metaOf(message.headers);
  if (!meta) {
    // A message without event headers was not published by a relay.
    const { subject } = message;
    runtime.logger.error({ consumer: name, subject }, 'message without the headers of an event, dropped');
    meters.buried.inc({ consumer: name, type: 'unknown' });
    // Call term() without a reason here and below, because NATS servers before 2.10 ignore a term with a reason.
    return message.term();
  }
  const labels = { consumer: name, type: meta.type };
  const deliveries = message.info.deliveryCount;
  try {
    const claim = await handleInTransaction({ meta, payload: message.data }, deliveries, delivery);
    if (claim === 'early') {
      if (!(await delivery.backlog.takeEarly(message))) message.nak(backoff(deliveries, 50, 1_000));
      return;
    }
    (claim === 'seen' ? meters.repeated : meters.handled).inc(labels);
    failures.delete(meta.id);
    message.ack();
  } catch (error) {
    const failed = (failures.get(meta.id) ?? 0) + (isTransient(error) ? 0 : 1);
    if (deliveries <= LOGGED_DELIVERIES || failed > 0) {
      runtime.logger.warn(
        { err: error, consumer: name, event_id: meta.id, type: meta.type, failed },
        'event not handled',
      );
    }
    if (failed >= TRIES) return deadLetter(message, meta, error, delivery);
    if (failed > 0) failures.set(meta.id, failed);
    meters.retried.inc(labels);
    message.nak(pauseAfter(message));
  }
}

/**
 * Advances the cursor and runs the handler in one transaction. Returns the state of the event: nothing was changed
 * unless it was the next one of its aggregate. An event that was not delivered before is almost always the next one.
 */
async function handleInTransaction(event: EncodedEvent, deliveries: number, delivery: Delivery): Promise<Claim> {
  const { options, reach } = delivery;
  const { meta, payload } = event;
  const scope = { organizationId: meta.organizationId };
  if (deliveries === 1) {
    try {
      await options.database.transaction(scope, (tx) => claimAndHandle(event, tx, options));
      return 'next';
    } catch (error) {
      if (!(error instanceof NotNextError)) throw error;
    }
  }
  const handler = options.handlers.find(({ type }) => type === meta.type);
  const keptSince = await reach.keptSince(deliveries > EARLY_DELIVERIES);
  return options.database.transaction(scope, async (tx) => {
    const claimed = await claimEvent(tx, options.name, meta, keptSince);
    if (claimed === 'next') await handler?.decode(payload)(meta, tx);
    return claimed;
  });
}

/** Returns the milliseconds until the stream delivers a message again after a failure. */
function pauseAfter({ info }: ReceivedMessage): number {
  return backoff(info.deliveryCount, 200, MAX_PAUSE_MS);
}

function isTransient(error: unknown): boolean {
  if (isRetryable(error)) return true;
  return error instanceof ServiceError && ['unavailable', 'deadline', 'rate_limited', 'internal'].includes(error.kind);
}

async function deadLetter(
  message: ReceivedMessage,
  meta: EventMeta,
  reason: unknown,
  delivery: Delivery,
): Promise<void> {
  const { options, meters, failures } = delivery;
  const { name, database, runtime } = options;
  try {
    const claim = await database.transaction('every organization', async (tx) => {
      const claimed = await claimEvent(tx, name, meta, await delivery.reach.keptSince(false));
      if (claimed === 'next') await insertDeadLetter(tx, name, meta, message.data, reason);
      return claimed;
    });
    // The handler has not run yet, so the event may still succeed.
    if (claim === 'early') return message.nak(pauseAfter(message));
  } catch (error) {
    runtime.logger.warn({ err: error, event_id: meta.id }, 'dead letter not written, to be retried');
    return message.nak(pauseAfter(message));
  }
  failures.delete(meta.id);
  meters.buried.inc({ consumer: name, type: meta.type });
  runtime.logger.error(
    { err: reason, consumer: name, event_id: meta.id, type: meta.type },
    'event not handled for good, see dead_letter',
  );
  message.term();
}

async function insertDeadLetter(
  tx: Transaction,
  consumer: string,
  meta: EventMeta,
  payload: Uint8Array,
  reason: unknown,
): Promise<void> {
  await tx.query(
    `insert into dead_letter (consumer, event_id, type, organization_id, aggregate_id, sequence, payload, error)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      consumer,
      meta.id,
      meta.type,
      meta.organizationId,
      meta.aggregateId,
      meta.sequence,
      Buffer.from(payload),
      reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason),
    ],
  );
}
