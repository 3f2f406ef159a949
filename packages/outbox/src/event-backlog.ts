import type { Database } from '@tocsin/database';
import { backoff, createWakeup, pause, type Runtime } from '@tocsin/runtime';
import { metersOf } from './consumer-metrics.ts';
import { countFitting } from './count-fitting.ts';
import { eventSubject, headersOf, metaOf } from './headers.ts';
import { type ReceivedMessage, tenantOf } from './received-message.ts';
import type { StreamReach } from './stream-reach.ts';
import {
  areWaiting,
  becomeReader,
  deleteEvents,
  endReading,
  type NewEvent,
  readEvents,
  storeEvents,
  type WaitingEvent,
  waitingOrganizations,
} from './waiting-events.ts';

/** Maximum number and size, in bytes, of the messages that are to be stored. */
const MAX_UNSTORED = { messages: 2_000, bytes: 8 * 1024 ** 2 };

/** Pause, in milliseconds, before the stream delivers a message again that could not be stored. It grows. */
const UNSTORED_PAUSE_MS = { first: 1_000, max: 10_000 };

/** Maximum number and size, in bytes, of the messages that one statement stores. */
const STORED_TOGETHER = { messages: 500, bytes: 1024 ** 2 };

/** Maximum number of events of an organization that were read and are not handled yet. */
const MAX_READ = 500;

/** Maximum number of events of an organization that are left for later, because their predecessors are missing. */
const MAX_RESTING = 5_000;

/**
 * Time, in milliseconds, after which an event is read again whose predecessor is missing, and number of readings after
 * which it is passed on nevertheless, because its predecessor may no longer be in the stream.
 */
const EARLY = { restMs: 1_000, readings: 10 };

/** Minimum time between two passes, and maximum time while events wait and while none waits, in milliseconds. */
const PASS_MS = { min: 200, behind: 1_000, idle: 30_000 };

/**
 * Minimum time, in milliseconds, between two readings of the organizations of which events wait: PostgreSQL reads the
 * index entries of all deleted events that were not vacuumed yet.
 */
const LIST_MS = 1_000;

/** Time after which this process renews that it is the reader, in milliseconds. */
const RENEWAL_MS = 2_000;

export interface EventBacklogOptions {
  /** Name of the consumer. */
  readonly name: string;
  readonly database: Database;
  readonly runtime: Runtime;
  readonly reach: StreamReach;
  /** Handles a message that was read. Returns false if there is no room for it. */
  readonly handle: (message: ReceivedMessage) => boolean;
  /** Returns whether events of an aggregate are being handled, after which its next events are handled. */
  readonly isHandling: (aggregateId: string) => boolean;
}

/** An event that this process has read and not deleted yet. */
interface ReadEvent extends Pick<WaitingEvent, 'position' | 'meta'> {
  /** Number of times it was read. */
  readonly readings: number;
  state: 'queued' | 'resting' | 'handled';
  /** Time until which a resting event is not read again, on the clock of `performance.now()`. */
  restsUntil: number;
}

/**
 * The events of a consumer that wait in the database of its service, because their organization has more of them than
 * the memory holds. They are acknowledged. The stream therefore does not deliver them again and again, which would cost
 * more than handling them, and they do not count as unacknowledged, of which there may only be a limited number.
 *
 * While events of an organization wait, its new events wait, too. One replica reads the events of all organizations,
 * the oldest first, and deletes each after it was handled. If two replicas read them, each event still counts once.
 */
export class EventBacklog implements AsyncDisposable {
  readonly #options: EventBacklogOptions;
  readonly #id = crypto.randomUUID();
  readonly #wakeup = createWakeup();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Messages of the stream that are to be stored. */
  #unstored: ReceivedMessage[] = [];
  #unstoredBytes = 0;
  /** Organizations of which events wait, as far as this process knows. */
  #behind = new Set<string>();
  /** Time of the last reading of these organizations, on the clock of `performance.now()`. */
  #listedAt = Number.NEGATIVE_INFINITY;
  readonly #read = new Map<number, ReadEvent>();
  /** Time at which this process has last become the reader, on the clock of `performance.now()`. */
  #readerSince = Number.NEGATIVE_INFINITY;

  constructor(options: EventBacklogOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Returns whether events of the message's organization wait, so that the message must wait, too. */
  isBehind(message: ReceivedMessage): boolean {
    return this.#behind.has(tenantOf(message));
  }

  /** Stores a message of the stream and then acknowledges it, or returns it to the stream if that is not possible. */
  add(message: ReceivedMessage): void {
    const { messages, bytes } = MAX_UNSTORED;
    const isFull = this.#unstored.length >= messages || this.#unstoredBytes + message.data.length > bytes;
    if (isFull || this.#stop.signal.aborted || !metaOf(message.headers)) {
      returnLater(message);
      return;
    }
    this.#unstored.push(message);
    this.#unstoredBytes += message.data.length;
    if (!this.isBehind(message)) {
      const { name: consumer, runtime } = this.#options;
      runtime.logger.warn(
        { consumer, organization_id: tenantOf(message) },
        'the organization has more events than the memory holds; they wait in the database',
      );
      this.#behind.add(tenantOf(message));
    }
    this.#wakeup.ring();
  }

  /**
   * Stores a message of the stream whose predecessor is missing, if events of its organization wait. Returns false if
   * none waits, and for a message that has waited itself.
   * @throws ServiceError `unavailable` if the database does not respond.
   */
  async takeEarly(message: ReceivedMessage): Promise<boolean> {
    if (hasWaited(message)) return false;
    const { database, name } = this.#options;
    if (!(this.isBehind(message) || (await areWaiting(database, name, tenantOf(message))))) return false;
    this.add(message);
    return true;
  }

  /** Lets another replica read. Call this after the last message was handled. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { name, database, runtime } = this.#options;
    this.#stop.abort();
    this.#wakeup.ring();
    await this.#running;
    for (const message of this.#unstored) message.nak();
    try {
      await this.#deleteHandled();
      if (this.#readerSince > Number.NEGATIVE_INFINITY) await endReading(database, name, this.#id);
    } catch (error) {
      runtime.logger.debug({ err: error, consumer: name }, 'the next reader of waiting events starts in ten seconds');
    }
  }

  async #run(): Promise<void> {
    const { name, runtime } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#pass();
        failures = 0;
      } catch (error) {
        failures += 1;
        runtime.logger.warn({ err: error, consumer: name }, 'waiting events not stored or read, to be retried');
      }
      const isBehind = this.#behind.size > 0;
      if (failures > 0) await pause(backoff(failures), signal);
      else if (isBehind) await pause(PASS_MS.min, signal);
      await this.#wakeup.wait(isBehind ? PASS_MS.behind : PASS_MS.idle);
    }
  }

  async #pass(): Promise<void> {
    while (this.#unstored.length > 0) await this.#store();
    await this.#deleteHandled();
    await this.#listOrganizations();
    if (this.#behind.size === 0 || !(await this.#mayRead())) return;
    for (const organization of this.#behind) await this.#readOf(organization);
  }

  /** Stores the first messages and acknowledges them. If this fails, all messages are returned to the stream. */
  async #store(): Promise<void> {
    const { name, database, runtime } = this.#options;
    const count = countFitting(this.#unstored, ({ data }) => data.length, STORED_TOGETHER);
    const messages = this.#unstored.slice(0, count);
    try {
      await storeEvents(database, name, messages.flatMap(eventOf));
    } catch (error) {
      this.#unstored.splice(0).forEach(returnLater);
      this.#unstoredBytes = 0;
      throw error;
    }
    this.#unstored.splice(0, messages.length);
    for (const message of messages) {
      this.#unstoredBytes -= message.data.length;
      message.ack();
    }
    metersOf(runtime).stored.inc({ consumer: name }, messages.length);
  }

  async #deleteHandled(): Promise<void> {
    const handled = this.#read
      .values()
      .filter(({ state }) => state === 'handled')
      .toArray();
    if (handled.length === 0) return;
    await deleteEvents(this.#options.database, this.#options.name, handled);
    for (const { position } of handled) this.#read.delete(position);
  }

  async #listOrganizations(): Promise<void> {
    const { name: consumer, database, runtime } = this.#options;
    const now = performance.now();
    if (now - this.#listedAt < LIST_MS) return;
    this.#listedAt = now;
    const waiting = await waitingOrganizations(database, consumer);
    const before = this.#behind;
    this.#behind = new Set([...waiting, ...this.#unstored.map(tenantOf)]);
    for (const { position, meta, state } of this.#read.values()) {
      // Another replica has handled the resting events of this organization.
      if (state === 'resting' && !this.#behind.has(meta.organizationId)) this.#read.delete(position);
    }
    metersOf(runtime).behind.set({ consumer }, this.#behind.size);
    for (const organization_id of before) {
      if (this.#behind.has(organization_id)) continue;
      runtime.logger.info({ consumer, organization_id }, 'no events of the organization wait any longer');
    }
  }

  /** Returns whether this process reads the waiting events. */
  async #mayRead(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#readerSince < RENEWAL_MS) return true;
    const isReader = await becomeReader(this.#options.database, this.#options.name, this.#id);
    this.#readerSince = isReader ? now : Number.NEGATIVE_INFINITY;
    return isReader;
  }

  /** Reads events of an organization, and passes on those whose predecessors are handled. */
  async #readOf(organization: string): Promise<void> {
    const { name: consumer, database, reach, handle, isHandling } = this.#options;
    const own = [...this.#read.values()].filter(({ meta }) => meta.organizationId === organization);
    const queued = own.filter(({ state }) => state === 'queued').length;
    if (queued > MAX_READ / 2 || own.length > MAX_RESTING) return;
    const now = performance.now();
    const except = own.filter(({ state, restsUntil }) => state !== 'resting' || restsUntil > now);
    const which = { consumer, organization, limit: MAX_READ - queued };
    const events = await readEvents(database, { ...which, except: except.map(({ position }) => position) });
    const keptSince = await reach.keptSince(false);
    for (const event of events) {
      const { aggregateId, sequence, previousAt } = event.meta;
      const read = this.#recordReading(event);
      const isUnreachable = previousAt !== undefined && previousAt < keptSince;
      const isEarly = sequence > event.handled + 1 && !isHandling(aggregateId) && !isUnreachable;
      if (isEarly && read.readings <= EARLY.readings) {
        rest(read, EARLY.restMs);
        continue;
      }
      read.state = 'queued';
      if (handle(this.#messageOf(event, read))) continue;
      // There is no room for it and for later ones.
      this.#read.delete(event.position);
      return;
    }
  }

  #recordReading({ position, meta }: WaitingEvent): ReadEvent {
    const readings = (this.#read.get(position)?.readings ?? 0) + 1;
    const read: ReadEvent = { position, meta, readings, state: 'resting', restsUntil: 0 };
    this.#read.set(position, read);
    return read;
  }

  /** Returns a message that is handled like one of the stream. */
  #messageOf({ meta, trace, payload }: WaitingEvent, read: ReadEvent): ReceivedMessage {
    const end = () => {
      read.state = 'handled';
      this.#wakeup.ring();
    };
    return {
      seq: -read.position,
      subject: eventSubject(meta.type),
      headers: headersOf(meta, trace),
      data: payload,
      info: { deliveryCount: read.readings },
      ack: end,
      term: end,
      nak: (pauseMs = 0) => rest(read, pauseMs),
      working: () => undefined,
    };
  }
}

function rest(read: ReadEvent, pauseMs: number): void {
  read.state = 'resting';
  read.restsUntil = performance.now() + pauseMs;
}

/** Returns whether a message was read from the database. Positions in the stream are positive. */
function hasWaited({ seq }: ReceivedMessage): boolean {
  return seq < 0;
}

function eventOf({ headers, data: payload }: ReceivedMessage): NewEvent[] {
  const meta = metaOf(headers);
  return meta ? [{ meta, trace: headers?.get('traceparent') ?? '', payload }] : [];
}

function returnLater(message: ReceivedMessage): void {
  message.nak(backoff(message.info.deliveryCount, UNSTORED_PAUSE_MS.first, UNSTORED_PAUSE_MS.max));
}
