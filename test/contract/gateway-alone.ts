import { loadConfig } from '@tocsin/gateway/config';
import { createService } from '@tocsin/gateway/service';
import { createRuntime } from '@tocsin/runtime';
import { testDatabase, testNats } from '@tocsin/testing';

export interface GatewayAlone extends AsyncDisposable {
  readonly url: string;
}

/** Starts a gateway without the other services, for tests that do not need them. */
export async function startGatewayAlone(env: NodeJS.ProcessEnv = {}): Promise<GatewayAlone> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase('gateway'));
  const nats = stack.use(await testNats());
  const nowhere = 'http://127.0.0.1:1';
  const config = loadConfig({
    TOCSIN_PORT: '0',
    TOCSIN_BASE_URL: 'https://tocsin.acme.test',
    TOCSIN_GATEWAY_DATABASE_URL: database.url,
    TOCSIN_NATS_URL: nats.url,
    TOCSIN_VAULT_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    TOCSIN_SERVICE_SECRET: 'unused',
    TOCSIN_IDENTITY_URL: nowhere,
    TOCSIN_MONITOR_URL: nowhere,
    TOCSIN_DISRUPTION_URL: nowhere,
    TOCSIN_STATUSPAGE_URL: nowhere,
    TOCSIN_NOTIFIER_URL: nowhere,
    ...env,
  });
  const { port } = stack.use(await createService(config, createRuntime('gateway', { logLevel: 'error' })));
  const running = stack.move();
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
