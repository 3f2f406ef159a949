import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { JOB_STREAM, jobSubject, RESULT_SUBJECT } from '@tocsin/check-queue';
import { openDatabase } from '@tocsin/database';
import { EVENT_STREAM } from '@tocsin/outbox';
import { type CheckJob, CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { type MonitorStateChanged, MonitorStateChangedSchema } from '@tocsin/proto/monitor/v1/events';
import { CheckOutcome, MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, createRuntime, createTransport } from '@tocsin/runtime';
import { manualClock, testDatabase, testIdentity, testNats } from '@tocsin/testing';
import { generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { v7 } from 'uuid';
import type { AlertChannels } from '../src/app/ports.ts';
import type { MonitorConfig } from '../src/config.ts';
import { createService } from '../src/service.ts';

/** What a region answers to a job; undefined: it stays silent. */
export type Region = (job: CheckJob) => 'pass' | 'fail' | undefined;

export const CONFIG = JSON.stringify({ url: 'https://example.com/' });

/** A monitor service on real Postgres and NATS, with checkers that see what a test wants them to see. */
export async function monitorHouse(regions: readonly string[] = ['local']) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase('monitor'));
  const server = stack.use(await testNats());
  const identity = await testIdentity();
  const clock = manualClock(new Date());
  const channels = knownChannels();
  const config: MonitorConfig = {
    host: '127.0.0.1',
    rpcPort: 0,
    adminPort: 0,
    logLevel: 'error',
    databaseUrl: database.url,
    natsUrl: server.url,
    identityUrl: 'http://127.0.0.1:1',
    notifierUrl: 'http://127.0.0.1:1',
    serviceSecret: 'unused',
    vaultKeys: parseVaultKeys(generateVaultKey('test')),
    regions,
  };
  const nats = await connect({ servers: server.url });
  stack.defer(() => nats.close());

  /** One more replica. */
  async function start() {
    const overrides = { now: clock.now, channels, verifier: identity.verifier };
    const service = stack.use(await createService(config, createRuntime('monitor', { logLevel: 'warn' }), overrides));
    return {
      service,
      async clientOf(organizationId: string): Promise<Client<typeof MonitorService>> {
        const token = await identity.credentialToken(organizationId);
        return createRpcClient(
          MonitorService,
          createTransport({ url: `http://127.0.0.1:${service.rpcPort}`, tokens: { token: async () => token } }),
        );
      },
    };
  }

  const tables = stack.use(await openDatabase({ url: database.url, entities: [], migrations: [] }));

  return {
    clock,
    channels,
    /** Rounds of a monitor that are not decided yet. */
    async openRounds(monitorId: string): Promise<number> {
      const sql = 'select from open_round where monitor_id = $1';
      return (await tables.transaction('every organization', (tx) => tx.query(sql, [monitorId]))).length;
    },
    /** Whether a deadline of a heartbeat monitor is past and nobody has looked at it. */
    async isDue(monitorId: string): Promise<boolean> {
      const sql = 'select from heartbeat where monitor_id = $1 and due_at <= $2';
      return (
        (await tables.transaction('every organization', (tx) => tx.query(sql, [monitorId, clock.now()]))).length > 0
      );
    },
    database,
    identity,
    nats,
    start,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Alert channels of organizations, as notifier would know them. */
function knownChannels(): AlertChannels & { add(organizationId: string, isDefault: boolean): string } {
  const known: { id: string; organizationId: string; isDefault: boolean }[] = [];
  return {
    add(organizationId, isDefault) {
      const id = v7();
      known.push({ id, organizationId, isDefault });
      return id;
    },
    async existing(organizationId, ids) {
      return known
        .filter((channel) => channel.organizationId === organizationId && ids.includes(channel.id))
        .map(({ id }) => id);
    },
    async defaults(organizationId) {
      return known
        .filter((channel) => channel.organizationId === organizationId && channel.isDefault)
        .map(({ id }) => id);
    },
  };
}

/** Takes the jobs of a region and answers them; `seen` are the jobs that came. */
export async function startChecker(nats: NatsConnection, region: string, see: Region) {
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
      if (outcome) await answer(nats, job, region, outcome);
      message.ack();
    }
  })();
  return { seen, stop: () => messages.stop() };
}

/** Sends what a region saw. Without a message id, so that the stream takes it as often as it is sent. */
export async function answer(
  nats: NatsConnection,
  job: CheckJob,
  region: string,
  outcome: 'pass' | 'fail',
): Promise<void> {
  const result = {
    region,
    outcome: outcome === 'pass' ? CheckOutcome.PASS : CheckOutcome.FAIL,
    error: outcome === 'pass' ? '' : 'status 502, expected 200 to 399',
    statusCode: outcome === 'pass' ? 200 : 502,
    phases: { total: 12.5 },
    checkedAt: timestampFromDate(new Date()),
  };
  const { monitorId, roundAt, replyTo } = job;
  const payload = toBinary(
    CheckResultSchema,
    create(CheckResultSchema, { monitorId, ...(roundAt && { roundAt }), result }),
  );
  if (replyTo) nats.publish(replyTo, payload);
  else await jetstream(nats).publish(RESULT_SUBJECT, payload);
}

/** Every change of state that was published so far, oldest first. */
export async function publishedChanges(nats: NatsConnection): Promise<MonitorStateChanged[]> {
  const subject = `event.${MonitorStateChangedSchema.typeName}`;
  const { streams } = await jetstreamManager(nats);
  const { state } = await streams.info(EVENT_STREAM, { subjects_filter: subject });
  const changes: MonitorStateChanged[] = [];
  const wanted = state.subjects?.[subject] ?? 0;
  if (wanted === 0) return changes;
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  for await (const message of await consumer.fetch({ max_messages: wanted, expires: 2_000 })) {
    changes.push(fromBinary(MonitorStateChangedSchema, message.data));
  }
  return changes;
}
