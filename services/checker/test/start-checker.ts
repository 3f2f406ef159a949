import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { CheckJobSchema, type CheckResult, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime, natsOptions } from '@tocsin/runtime';
import { testIdentity, testNats } from '@tocsin/testing';
import { ensureCheckStreams, JOB_STREAM, jobConsumer, jobSubject, RESULT_STREAM } from '@tocsin/work-queue';
import type { CheckConfig, Probe } from '../src/app/ports.ts';
import { type CheckerConfig, loadConfig } from '../src/config.ts';
import { createService } from '../src/service.ts';

/** A job to send, with its organization and the URL of its http check. */
export interface Order {
  readonly monitorId: string;
  readonly organizationId?: string;
  readonly url?: string;
  /** Defaults to `http`. */
  readonly checkType?: 'http' | 'synthetic';
  readonly timeoutMs?: number;
  readonly maxResponseTimeMs?: number;
  /** Latest start of the check. Defaults to an hour from now. */
  readonly startBefore?: Date;
}

const CHECK_TYPE = { http: CheckType.HTTP, synthetic: CheckType.SYNTHETIC };

/**
 * Starts a real NATS server for one region. With the returned functions, a test starts checkers in the region, sends
 * jobs and reads results.
 */
export async function startRegion() {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await testNats());
  const nats = await connect(natsOptions(server.url));
  stack.defer(() => nats.close());
  await ensureCheckStreams(nats);
  const identity = await testIdentity();
  const monitors = new Map<string, CheckConfig>();
  const results: CheckResult[] = [];

  const manager = await jetstreamManager(nats);
  await manager.consumers.add(RESULT_STREAM, { durable_name: 'test', ack_policy: AckPolicy.Explicit });
  const incoming = await (await jetstream(nats).consumers.get(RESULT_STREAM, 'test')).consume();
  stack.defer(async () => void (await incoming.close()));
  void (async () => {
    for await (const message of incoming) {
      results.push(fromBinary(CheckResultSchema, message.data));
      message.ack();
    }
  })();

  return {
    natsUrl: server.url,
    /** NATS server, with functions that start and end an outage. */
    server,
    /** Results in the order of arrival. */
    results,
    /** Starts a checker for the region in this process. */
    async startChecker(
      changes: Partial<CheckerConfig> = {},
      probes?: Partial<Record<'http' | 'synthetic', Probe>>,
    ): Promise<AsyncDisposable> {
      const config = loadConfig({
        TOCSIN_RPC_PORT: '0',
        TOCSIN_NATS_URL: server.url,
        TOCSIN_IDENTITY_URL: 'http://127.0.0.1:1',
        TOCSIN_MONITOR_URL: 'http://127.0.0.1:1',
        TOCSIN_SERVICE_SECRET: 'unused',
        TOCSIN_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
        TOCSIN_CHECKER_REFERENCES: '',
      });
      return stack.use(
        await createService({ ...config, ...changes }, createRuntime('checker', { logLevel: 'fatal' }), {
          ...(probes && { probes }),
          configs: { get: async (monitorId) => monitors.get(monitorId) },
          verifier: identity.verifier,
        }),
      );
    },
    async send(...orders: Order[]): Promise<void> {
      const roundAt = new Date();
      const startBefore = new Date(roundAt.getTime() + 3_600_000);
      await Promise.all(
        orders.map((order) => {
          const { monitorId, organizationId = 'o', checkType = 'http', url, timeoutMs = 5_000 } = order;
          const configJson = JSON.stringify({ url, max_response_time_ms: order.maxResponseTimeMs });
          const secrets = new Map<string, string>();
          monitors.set(monitorId, { monitorId, version: 1, checkType, timeoutMs, configJson, secrets });
          const job = create(CheckJobSchema, {
            monitorId,
            organizationId,
            configVersion: 1n,
            checkType: CHECK_TYPE[checkType],
            roundAt: timestampFromDate(roundAt),
            startBefore: timestampFromDate(order.startBefore ?? startBefore),
          });
          return jetstream(nats).publish(jobSubject('local'), toBinary(CheckJobSchema, job));
        }),
      );
    },
    /** Takes the next job like a checker, and returns it to the stream. Another checker must have run in the region. */
    async returnNextJob(): Promise<void> {
      const consumer = await jetstream(nats).consumers.get(JOB_STREAM, jobConsumer('local'));
      const message = await consumer.next();
      if (!message) throw new Error('no job has arrived');
      message.nak();
    },
    /** Returns the number of unacknowledged jobs. */
    async unanswered(): Promise<number> {
      const { num_pending, num_ack_pending } = await manager.consumers.info(JOB_STREAM, jobConsumer('local'));
      return num_pending + num_ack_pending;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
