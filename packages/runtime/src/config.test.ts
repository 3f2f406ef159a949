import { expect, test } from 'vitest';
import { ConfigReader, type Environment } from './config.ts';

test('all errors in an environment are reported at once', () => {
  const read = new ConfigReader({ TOCSIN_RPC_PORT: '70000', TOCSIN_LOG_LEVEL: 'loud' });
  const load = () =>
    read.done({
      port: read.port('TOCSIN_RPC_PORT'),
      level: read.oneOf('TOCSIN_LOG_LEVEL', ['info', 'debug']),
      url: read.url('TOCSIN_BASE_URL'),
    });
  expect(load).toThrow(
    [
      'TOCSIN_RPC_PORT: must be a whole number from 0 to 65535',
      'TOCSIN_LOG_LEVEL: must be one of info, debug',
      'TOCSIN_BASE_URL: is required (an http or https URL)',
    ].join('\n'),
  );
});

test('a missing variable has its default, and the trailing slash of a URL is removed', () => {
  const read = new ConfigReader({ TOCSIN_BASE_URL: 'https://status.example.com/' });
  expect(read.port('TOCSIN_RPC_PORT', 7101)).toBe(7101);
  expect(read.url('TOCSIN_BASE_URL')).toBe('https://status.example.com');
});

test('the schema of a service is added to the shared database URL, and a separate URL of the service takes precedence', () => {
  const shared = { TOCSIN_DATABASE_URL: 'postgres://u@db/tocsin' };
  expect(decodeURIComponent(new ConfigReader(shared).databaseUrl('monitor'))).toContain('search_path=monitor');
  const own = { ...shared, TOCSIN_MONITOR_DATABASE_URL: 'postgres://monitor@db2/x' };
  expect(new ConfigReader(own).databaseUrl('monitor')).toBe('postgres://monitor@db2/x');
});

test('the owner database URL is optional, and the schema of the service is added to a shared owner URL', () => {
  const owner = (env: Record<string, string>) => new ConfigReader(env).ownerDatabaseUrl('monitor');
  expect(owner({ TOCSIN_DATABASE_URL: 'postgres://u@db/tocsin' })).toBeUndefined();
  const shared = { TOCSIN_OWNER_DATABASE_URL: 'postgres://owner@db/tocsin' };
  expect(decodeURIComponent(owner(shared) ?? '')).toContain('search_path=monitor');
  const own = { ...shared, TOCSIN_MONITOR_OWNER_DATABASE_URL: 'postgres://monitor@db2/x' };
  expect(owner(own)).toBe('postgres://monitor@db2/x');
  const wrong = new ConfigReader({ TOCSIN_OWNER_DATABASE_URL: 'mysql://x' });
  expect(() => wrong.done(wrong.ownerDatabaseUrl('monitor'))).toThrow(
    'TOCSIN_OWNER_DATABASE_URL: must be a postgres:// URL',
  );
});

test('a secret can be read from a file, and a missing file is an error', () => {
  const read = new ConfigReader({ TOCSIN_SERVICE_SECRET_FILE: '/nowhere/secret' });
  read.string('TOCSIN_SERVICE_SECRET');
  expect(() => read.done({})).toThrow("TOCSIN_SERVICE_SECRET_FILE: can't read /nowhere/secret");
});

test.each(['nats://u:p@nats:4222', 'nats://u:p@a:4222,nats://u:p@b:4222', 'tls://u:p@nats'])(
  'the NATS URL %s is accepted',
  (url) => {
    expect(new ConfigReader({ TOCSIN_NATS_URL: url }).natsUrl()).toBe(url);
  },
);

test('a NATS URL without credentials is rejected unless anonymous access is allowed', () => {
  const read = (env: Environment) => {
    const reader = new ConfigReader(env);
    return reader.done({ url: reader.natsUrl() }).url;
  };
  const url = 'nats://nats:4222';
  expect(() => read({ TOCSIN_NATS_URL: url })).toThrow('TOCSIN_NATS_URL: has no user and password');
  expect(() => read({ TOCSIN_NATS_URL: `nats://u:p@a:4222,${url}` })).toThrow('has no user and password');
  expect(() => read({ TOCSIN_NATS_URL: 'http://u:p@nats' })).toThrow('must be a nats://user:password@host:port');
  expect(() => read({})).toThrow('TOCSIN_NATS_URL: is required');
  expect(read({ TOCSIN_NATS_URL: url, TOCSIN_NATS_ALLOW_ANONYMOUS: 'true' })).toBe(url);
});
