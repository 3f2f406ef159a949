import { loadConfig as loadGatewayConfig } from '@tocsin/gateway/config';
import { loadConfig as loadIdentityConfig } from '@tocsin/identity/config';
import { kubernetesSecret } from '@tocsin/local/kubernetes-secret';
import { expect, test } from 'vitest';

const options = {
  name: 'tocsin',
  databaseUrl: 'postgres://tocsin:p%40ss@db:5432/tocsin',
  natsHost: 'tocsin-nats:4222',
};

function dataOf(secret: object): Record<string, string> {
  return (secret as { stringData: Record<string, string> }).stringData;
}

test('all services accept the values in the generated Kubernetes Secret', () => {
  const data = dataOf(kubernetesSecret(options));
  const url = 'http://service';
  const identity = loadIdentityConfig({
    TOCSIN_IDENTITY_DATABASE_URL: data['database-url-identity'],
    TOCSIN_OWNER_DATABASE_URL: data['owner-database-url'],
    TOCSIN_NATS_URL: data['nats-url-identity'],
    TOCSIN_VAULT_KEYS: data['vault-keys'],
    TOCSIN_SERVICE_SECRETS: data['service-secrets'],
    TOCSIN_MONITOR_URL: url,
    TOCSIN_DISRUPTION_URL: url,
    TOCSIN_STATUSPAGE_URL: url,
    TOCSIN_NOTIFIER_URL: url,
  });
  expect(identity.serviceSecrets).toBeDefined();
  const [own, owner] = [new URL(identity.databaseUrl), new URL(identity.ownerDatabaseUrl ?? '')];
  expect([own.username, own.host, own.pathname]).toEqual(['tocsin_identity', 'db:5432', '/tocsin']);
  expect([owner.username, owner.password]).toEqual(['tocsin', 'p%40ss']);
  expect(own.password).not.toBe(owner.password);
  for (const url of [own, owner]) expect(url.searchParams.get('options')).toBe('-c search_path=identity');
  const gateway = loadGatewayConfig({
    TOCSIN_GATEWAY_DATABASE_URL: data['database-url-gateway'],
    TOCSIN_NATS_URL: data['nats-url-gateway'],
    TOCSIN_VAULT_KEYS: data['vault-keys'],
    TOCSIN_SERVICE_SECRET: data['service-secret-gateway'],
    TOCSIN_IDENTITY_URL: url,
    TOCSIN_MONITOR_URL: url,
    TOCSIN_DISRUPTION_URL: url,
    TOCSIN_STATUSPAGE_URL: url,
    TOCSIN_NOTIFIER_URL: url,
  });
  expect(data['service-secrets']).toContain(`gateway:${gateway.serviceSecret}`);
  expect(data['nats-users.conf']).toContain(new URL(gateway.natsUrl).password);
  expect(data['database-password']).toBe('p@ss');
});

test('each call generates new secrets', () => {
  const [one, other] = [kubernetesSecret(options), kubernetesSecret(options)].map(dataOf);
  for (const key of ['vault-keys', 'service-secret-monitor', 'nats-url-monitor', 'database-url-monitor'])
    expect(one?.[key]).not.toBe(other?.[key]);
});

test.each([
  [{ databaseUrl: 'mysql://a:b@c/d' }, '--database-url should be like postgres://user:password@host:5432/database.'],
  [
    { databaseUrl: 'postgres://db/tocsin' },
    '--database-url should be like postgres://user:password@host:5432/database.',
  ],
  [{ natsHost: 'nats://nats:4222' }, '--nats-host should be like tocsin-nats:4222.'],
  [{ name: 'Tocsin' }, '--name should be lowercase letters, digits and hyphens, at most 63.'],
])('the invalid options %j are refused with a message about the correct format', (wrong, message) => {
  expect(() => kubernetesSecret({ ...options, ...wrong })).toThrow(message);
});
