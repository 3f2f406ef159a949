import { generateVaultKey } from '@tocsin/vault';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const enough = {
  TOCSIN_DATABASE_URL: 'postgres://127.0.0.1/tocsin',
  TOCSIN_NATS_URL: 'nats://identity:password@127.0.0.1:4222',
  TOCSIN_VAULT_KEYS: generateVaultKey('k1'),
  TOCSIN_SERVICE_SECRETS: 'gateway:s3cret',
  TOCSIN_NOTIFIER_URL: 'http://127.0.0.1:7106',
  TOCSIN_MONITOR_URL: 'http://127.0.0.1:7102',
  TOCSIN_DISRUPTION_URL: 'http://127.0.0.1:7104',
  TOCSIN_STATUSPAGE_URL: 'http://127.0.0.1:7105',
};

test('if only the required variables are set, all other variables have defaults', () => {
  expect(loadConfig(enough)).toMatchObject({ host: '127.0.0.1', rpcPort: 7101, adminPort: 7201, logLevel: 'info' });
});

test('OAuth clients are read from JSON, and registration is enabled by default', () => {
  expect(loadConfig(enough)).toMatchObject({ oauthClients: [], oauthRegistration: true });
  const TOCSIN_OAUTH_CLIENTS = '[{"client_id":"acme-cli","client_name":"Acme CLI"}]';
  expect(loadConfig({ ...enough, TOCSIN_OAUTH_CLIENTS, TOCSIN_OAUTH_REGISTRATION: 'off' })).toMatchObject({
    oauthClients: [{ id: 'acme-cli', name: 'Acme CLI' }],
    oauthRegistration: false,
  });
  expect(() => loadConfig({ ...enough, TOCSIN_OAUTH_CLIENTS: '[{}]', TOCSIN_OAUTH_REGISTRATION: 'no' })).toThrow(
    /TOCSIN_OAUTH_CLIENTS: client 1: client_id must .*TOCSIN_OAUTH_REGISTRATION: must be one of on, off/s,
  );
});

test('one error lists all invalid variables without secrets', () => {
  const wrong = { ...enough, TOCSIN_NATS_URL: '', TOCSIN_VAULT_KEYS: 'k1:s3cret', TOCSIN_SERVICE_SECRETS: 's3cret' };
  const read = () => loadConfig(wrong);
  expect(read).toThrow(/TOCSIN_NATS_URL: is required.*TOCSIN_VAULT_KEYS: .*TOCSIN_SERVICE_SECRETS: entry 1 has no/s);
  expect(read).not.toThrow(/s3cret/);
});
