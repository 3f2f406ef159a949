import { create } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { type Limits, toLimits } from '@tocsin/enums';
import { MonitorSchema } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime, idempotencyIdOf } from '@tocsin/runtime';
import { testDatabase, testNats } from '@tocsin/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Credentials } from '../src/clients/credentials.ts';
import { connectServices, type Services } from '../src/clients/services.ts';
import type { GatewayConfig } from '../src/config.ts';
import { createService } from '../src/service.ts';
import { testConfig } from './config-fixture.ts';

/** Text in the config of every monitor in a response. */
export const CANARY = 'canary-of-the-answer';

const MONITOR_ID = '01920000-0000-7000-8000-00000000aaaa';
/** Path of the only monitor. */
export const MONITOR = `/monitors/${MONITOR_ID}`;
/** A valid body for the creation of a monitor. */
export const SHOP = { name: 'Shop', check_type: 'http' };

/** What the services behind the gateways do and have received. A test changes it for its own requests. */
interface FakeServices {
  /** Number of monitors that were created. */
  created: number;
  /** Idempotency ids of the creations that the monitor service has received. */
  idempotencyIds: (string | undefined)[];
  /** Limits of the organization. */
  limits: Partial<Limits>;
  /** Work that the monitor service does during the next creations. */
  work: () => Promise<void>;
  /** Size of the configs of monitors in responses. */
  configBytes: number;
}

/** Two gateways that share a database like two replicas, with fake services behind them. */
interface TwoGateways extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly services: FakeServices;
  /**
   * Sends a request to one of the gateways, 0 or 1, with an API key such as `key-1`. All keys belong to the same
   * organization.
   */
  send(
    gateway: number,
    key: string,
    method: string,
    path: string,
    options?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
}

/** Starts two gateways. Their limit of requests for the states of monitors is 5 per minute; other limits are off. */
async function startTwoGateways(services: FakeServices): Promise<TwoGateways> {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await testDatabase('gateway'));
  const nats = starting.use(await testNats());
  const rateLimits = { stats: 5, read: 0, write: 0 };
  const config = testConfig({ databaseUrl: database.url, natsUrl: nats.url, rateLimits });
  const origins: string[] = [];
  for (let replica = 0; replica < 2; replica += 1) {
    const overrides = { credentials: knownCredentials(services), services: monitorsOnly(config, services) };
    const runtime = createRuntime('gateway', { logLevel: 'error' });
    const gateway = starting.use(await createService(config, runtime, overrides));
    origins.push(`http://127.0.0.1:${gateway.port}/api/v1`);
  }
  const stack = starting.move();
  return {
    databaseUrl: database.url,
    services,
    send: (gateway, key, method, path, { body, headers } = {}) =>
      fetch(`${origins[gateway]}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Starts two gateways for the tests of a file. Their services are fresh in each test. */
export function useTwoGateways(): Omit<TwoGateways, typeof Symbol.asyncDispose> {
  const services = freshServices();
  let gateways: TwoGateways | undefined;
  const started = () => {
    if (!gateways) throw new Error('the gateways start before the first test');
    return gateways;
  };
  beforeAll(async () => {
    gateways = await startTwoGateways(services);
  });
  beforeEach(() => void Object.assign(services, freshServices()));
  afterAll(() => gateways?.[Symbol.asyncDispose]());
  return {
    services,
    get databaseUrl() {
      return started().databaseUrl;
    },
    send: (...request) => started().send(...request),
  };
}

/** Returns services that have received nothing and do nothing special. */
function freshServices(): FakeServices {
  return { created: 0, idempotencyIds: [], limits: {}, work: async () => {}, configBytes: 0 };
}

/** Returns credentials by key: the credential of `key-1` has the id …0001. */
function knownCredentials(services: FakeServices): Credentials {
  return {
    async exchange(secret) {
      const number = secret.replace('key-', '').padStart(12, '0');
      const organization = { id: '01920000-0000-7000-8000-000000000000', accountNumber: 1, name: 'Acme' };
      const credential = {
        id: `01920000-0000-7000-8000-${number}`,
        kind: 'api_key',
        name: secret,
        permissions: ['monitors:read_write'],
      } as const;
      return { tokens: {}, organization, credential, limits: toLimits({ reads_per_minute: 0, ...services.limits }) };
    },
    drop() {},
  };
}

function monitorsOnly(config: GatewayConfig, fake: FakeServices): Services {
  const services = connectServices(config);
  const monitor = (name: string) => {
    const configJson = JSON.stringify({ url: CANARY, body: 'y'.repeat(fake.configBytes) });
    return create(MonitorSchema, { id: MONITOR_ID, name, configJson });
  };
  const monitors = {
    ...services.monitors,
    createMonitor: async ({ name = '' }: { name?: string }, { headers }: CallOptions) => {
      fake.created += 1;
      fake.idempotencyIds.push(idempotencyIdOf({ requestHeader: new Headers(headers) }));
      await fake.work();
      return { monitor: monitor(name) };
    },
    getMonitor: async () => ({ monitor: monitor('Shop') }),
    getMonitorState: async () => ({}),
  };
  // The cast is safe, because the tests call only these three methods.
  return { ...services, monitors: monitors as unknown as Services['monitors'] };
}
