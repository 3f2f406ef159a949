import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { openDatabase } from '@tocsin/database';
import { EVENT_STREAM, eventSubject } from '@tocsin/outbox';
import { type CheckJob, CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { type MonitorStateChanged, MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import {
  type Certificate,
  type CertificateSchema,
  CheckOutcome,
  MonitorService,
} from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, createRuntime, createTransport, natsOptions } from '@tocsin/runtime';
import { eventually, manualClock, type TestCredential, testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { JOB_STREAM, jobSubject, RESULT_SUBJECT } from '@tocsin/work-queue';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import type { AlertChannels } from '../src/app/ports.ts';
import type { MonitorConfig } from '../src/config.ts';
import { createService } from '../src/service.ts';

/** Returns a region's outcome for a job; undefined if the region sends no result. */
export type Region = (job: CheckJob) => 'pass' | 'fail' | undefined;

export const CONFIG = JSON.stringify({ url: 'https://example.com/' });

/** Milliseconds by which the clock advances in one step. A step is shorter than the gap that ends an online period. */
const STEP_MS = 50_000;

/** Starts a monitor service on a real PostgreSQL and NATS, with checkers whose results the test determines. */
export async function monitorFixture(regions: readonly string[] = ['local']) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase('monitor'));
  const server = stack.use(await testNats());
  const identity = await testIdentity();
  const clock = manualClock(new Date());
  const channels = knownChannels();
  // Monitors linked to each component. A component without an entry is linked to the monitor with the same id.
  const links = new Map<string, readonly string[]>();
  const components = {
    monitorsOf: async (_organizationId: string, ids: readonly string[]) => ids.flatMap((id) => links.get(id) ?? [id]),
  };
  const config: MonitorConfig = {
    host: '127.0.0.1',
    rpcPort: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    logLevel: 'error',
    databaseUrl: database.runtimeUrl,
    ownerDatabaseUrl: database.url,
    natsUrl: server.url,
    identityUrl: 'http://127.0.0.1:1',
    notifierUrl: 'http://127.0.0.1:1',
    statuspageUrl: 'http://127.0.0.1:1',
    serviceSecret: 'unused',
    vaultKeys: parseVaultKeys(generateVaultKey('test')),
    regions,
    batches: false,
  };
  const nats = await connect(natsOptions(server.url));
  stack.defer(() => nats.close());

  /** Starts a replica of the service. */
  async function start() {
    const overrides = { now: clock.now, channels, components, verifier: identity.verifier };
    const service = stack.use(await createService(config, createRuntime('monitor', { logLevel: 'warn' }), overrides));
    return {
      service,
      async clientOf(organizationId: string, credential: TestCredential = {}): Promise<Client<typeof MonitorService>> {
        const token = await identity.credentialToken(organizationId, credential);
        return createRpcClient(
          MonitorService,
          createTransport({
            url: `http://127.0.0.1:${service.rpcPort}`,
            service: 'monitor',
            tokens: { token: async () => token },
          }),
        );
      },
    };
  }

  const tables = stack.use(await openDatabase({ url: database.url, entities: [], migrations: [] }));
  const rows = async (sql: string, parameters: readonly unknown[]) =>
    (await tables.transaction('every organization', (tx) => tx.query(sql, parameters))).length;

  return {
    clock,
    channels,
    /** Monitors linked to each component. */
    links,
    /** Returns the number of a monitor's undecided rounds. */
    openRounds: (monitorId: string) => rows('select from open_round where monitor_id = $1', [monitorId]),
    /** Returns the number of a monitor's stored results. */
    results: (monitorId: string) => rows('select from check_result where monitor_id = $1', [monitorId]),
    /** Advances the clock in small steps, so that the service counts as running all the time. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(left, STEP_MS));
        const sql = 'select from presence where seen_at >= $1';
        await eventually(async () => expect(await rows(sql, [clock.now()])).toBe(1));
      }
    },
    /** Returns whether a heartbeat monitor has an expired deadline that has not been processed yet. */
    isDue: async (monitorId: string) =>
      (await rows('select from heartbeat where monitor_id = $1 and due_at <= $2', [monitorId, clock.now()])) > 0,
    tables,
    natsUrl: server.url,
    database,
    identity,
    nats,
    start,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Creates a fake of the notifier's alert channels. */
function knownChannels(): AlertChannels & {
  add(organizationId: string, isDefault: boolean): string;
  /** Runs during the next channel lookup only, after the channels are read and before they are returned. */
  whenAsked: () => Promise<void>;
} {
  const known: { id: string; organizationId: string; isDefault: boolean }[] = [];
  const noop = async () => {};
  return {
    whenAsked: noop,
    add(organizationId, isDefault) {
      const id = v7();
      known.push({ id, organizationId, isDefault });
      return id;
    },
    async existing(organizationId, ids) {
      const found = known.filter((channel) => channel.organizationId === organizationId && ids.includes(channel.id));
      const { whenAsked } = this;
      this.whenAsked = noop;
      await whenAsked();
      return found.map(({ id }) => id);
    },
    async defaults(organizationId) {
      return known
        .filter((channel) => channel.organizationId === organizationId && channel.isDefault)
        .map(({ id }) => id);
    },
  };
}

/** Certificate that a target presents. */
export type Shown = Exclude<MessageInitShape<typeof CertificateSchema>, Certificate>;

/** Starts a checker that consumes the jobs of a region. `seen` contains the jobs that it has received. */
export async function startChecker(nats: NatsConnection, region: string, see: Region, shown?: () => Shown) {
  const seen: CheckJob[] = [];
  const { consumers } = await jetstreamManager(nats);
  const durable = `checker-${region}`;
  await consumers.add(JOB_STREAM, {
    durable_name: durable,
    filter_subject: jobSubject(region),
    ack_policy: AckPolicy.Explicit,
  });
  const messages = await (await jetstream(nats).consumers.get(JOB_STREAM, durable)).consume();
  void (async () => {
    for await (const message of messages) {
      const job = fromBinary(CheckJobSchema, message.data);
      seen.push(job);
      const outcome = see(job);
      if (outcome) await response(nats, job, region, outcome, shown?.());
      message.ack();
    }
  })();
  return { seen, stop: () => messages.stop() };
}

/**
 * Sends a region's result to the job's `replyTo`, or to the result stream. The message has no id, so that the stream
 * also stores repeated results.
 */
export async function response(
  nats: NatsConnection,
  job: CheckJob,
  region: string,
  outcome: 'pass' | 'fail',
  certificate?: Shown,
): Promise<void> {
  const result = {
    region,
    outcome: outcome === 'pass' ? CheckOutcome.PASS : CheckOutcome.FAIL,
    error: outcome === 'pass' ? '' : 'status 502, expected 200 to 399',
    statusCode: outcome === 'pass' ? 200 : 502,
    phases: { total: 12.5 },
    checkedAt: timestampFromDate(new Date()),
    ...(certificate && { certificate }),
  };
  const { monitorId, roundAt, replyTo } = job;
  const payload = toBinary(
    CheckResultSchema,
    create(CheckResultSchema, { monitorId, ...(roundAt && { roundAt }), result }),
  );
  if (replyTo) nats.publish(replyTo, payload);
  else await jetstream(nats).publish(RESULT_SUBJECT, payload);
}

/** Returns all events of one type that have been published, oldest first. */
export async function publishedEvents<Schema extends DescMessage>(
  nats: NatsConnection,
  schema: Schema,
): Promise<MessageShape<Schema>[]> {
  const subject = eventSubject(schema.typeName);
  const { streams } = await jetstreamManager(nats);
  const { state } = await streams.info(EVENT_STREAM, { subjects_filter: subject });
  const events: MessageShape<Schema>[] = [];
  const wanted = state.subjects?.[subject] ?? 0;
  if (wanted === 0) return events;
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  for await (const message of await consumer.fetch({ max_messages: wanted, expires: 2_000 })) {
    events.push(fromBinary(schema, message.data));
  }
  return events;
}

export function publishedChanges(nats: NatsConnection): Promise<MonitorStateChanged[]> {
  return publishedEvents(nats, MonitorStateChangedSchema);
}
