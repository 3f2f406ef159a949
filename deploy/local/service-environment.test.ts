import { describe, expect, test } from 'vitest';
import { environmentOf, type Installation, type PortName } from './service-environment.ts';
import { callerNames, processNames, serviceNames, storedNames } from './service-names.ts';

const portNames: PortName[] = [
  'postgres',
  'nats',
  ...serviceNames.map((name) => `${name}Rpc` as const),
  ...processNames.map((name) => `${name}Admin` as const),
];

function installation(env: NodeJS.ProcessEnv = {}): Installation {
  return {
    port: 8080,
    baseUrl: 'http://localhost:8080',
    ports: Object.fromEntries(portNames.map((name, index) => [name, 20_000 + index])) as Installation['ports'],
    natsUrl: 'nats://127.0.0.1:4222',
    databaseUrls: Object.fromEntries(
      storedNames.map((name) => [name, `postgres://${name}@db/tocsin`]),
    ) as Installation['databaseUrls'],
    secrets: {
      services: Object.fromEntries(callerNames.map((name) => [name, `${name}-secret`])) as never,
      databases: {} as never,
      vaultKeys: 'k1:abc',
    },
    env,
  };
}

describe('the environment of a process', () => {
  test.each(storedNames)('%s gets the database of its own role', (name) => {
    expect(environmentOf(name, installation()).TOCSIN_DATABASE_URL).toBe(`postgres://${name}@db/tocsin`);
  });

  test('everyone knows the address of every service', () => {
    const env = environmentOf('gateway', installation());
    expect(serviceNames.map((name) => env[`TOCSIN_${name.toUpperCase()}_URL`])).toEqual(
      [2, 3, 4, 5, 6, 7].map((index) => `http://127.0.0.1:${20_000 + index}`),
    );
  });

  test('only identity knows the secrets of the others', () => {
    for (const name of processNames) {
      const text = JSON.stringify(environmentOf(name, installation()));
      const known = callerNames.filter((caller) => text.includes(`${caller}-secret`));
      expect(known).toEqual(name === 'identity' ? callerNames : [name]);
    }
  });

  test('an address of a database or of NATS that the person set does not reach a service as it is', () => {
    const person = { TOCSIN_DATABASE_URL: 'postgres://superuser@db/x', TOCSIN_NATS_URL: 'nats://other' };
    for (const name of processNames) {
      expect(JSON.stringify(environmentOf(name, installation(person)))).not.toMatch(/superuser|other/);
    }
  });

  test('the public port is known to the gateway alone', () => {
    const knowing = processNames.filter(
      (name) => 'TOCSIN_PORT' in environmentOf(name, installation({ TOCSIN_PORT: '1' })),
    );
    expect(knowing).toEqual(['gateway']);
    expect(environmentOf('gateway', installation({ TOCSIN_PORT: '1' })).TOCSIN_PORT).toBe('8080');
  });

  test('other settings of Tocsin and OpenTelemetry are passed on, and what npm sets is not', () => {
    const person = { TOCSIN_LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'x', npm_config_cache: '/x', NODE_OPTIONS: '--x' };
    const env = environmentOf('monitor', installation(person));
    expect(env).toMatchObject({ TOCSIN_LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'x' });
    expect(Object.keys(env)).not.toContain('npm_config_cache');
    expect(Object.keys(env)).not.toContain('NODE_OPTIONS');
  });

  test('checks reach the machine itself unless the person says otherwise', () => {
    expect(environmentOf('checker', installation()).TOCSIN_ALLOW_PRIVATE_TARGETS).toBe('127.0.0.0/8,::1/128');
    const closed = environmentOf('checker', installation({ TOCSIN_ALLOW_PRIVATE_TARGETS: '' }));
    expect(closed.TOCSIN_ALLOW_PRIVATE_TARGETS).toBe('');
  });

  test('only the gateway listens where the person wants', () => {
    const person = { TOCSIN_HOST: '0.0.0.0' };
    const hosts = processNames.filter((name) => environmentOf(name, installation(person)).TOCSIN_HOST === '0.0.0.0');
    expect(hosts).toEqual(['gateway']);
  });
});
