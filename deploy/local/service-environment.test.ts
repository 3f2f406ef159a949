import { describe, expect, test } from 'vitest';
import { environmentOf, type Installation, portNames } from './service-environment.ts';
import {
  callerNames,
  type Plan,
  type ProcessName,
  plansFor,
  processNames,
  serviceNames,
  storedNames,
} from './service-names.ts';

const plans = plansFor(['east', 'west']);

/** Returns the environment of a process, given the variables of `npm start`. */
function of(name: ProcessName, env: NodeJS.ProcessEnv = {}): Record<string, string> {
  const plan = plans.find(({ process }) => process === name);
  return environmentOf(plan as Plan, installation(env));
}

function installation(env: NodeJS.ProcessEnv = {}): Installation {
  return {
    port: 8080,
    baseUrl: 'http://localhost:8080',
    ports: Object.fromEntries(portNames(plans).map((name, index) => [name, 20_000 + index])),
    natsUrls: Object.fromEntries(
      processNames.map((name) => [name, `nats://${name}:nats-${name}@127.0.0.1:4222`]),
    ) as never,
    databaseUrls: Object.fromEntries(
      storedNames.map((name) => [name, `postgres://${name}@db/tocsin`]),
    ) as Installation['databaseUrls'],
    secrets: {
      services: Object.fromEntries(callerNames.map((name) => [name, `${name}-secret`])) as never,
      nats: {} as never,
      databases: {} as never,
      runtimeDatabases: {} as never,
      vaultKeys: 'k1:abc',
    },
    mailboxUrl: undefined,
    env,
  };
}

describe('the environment of a process', () => {
  test.each(storedNames)('process %s gets the database URL of its own role', (name) => {
    expect(of(name).TOCSIN_DATABASE_URL).toBe(`postgres://${name}@db/tocsin`);
  });

  test('every process gets the address of every service', () => {
    const env = of('gateway');
    expect(serviceNames.map((name) => env[`TOCSIN_${name.toUpperCase()}_URL`])).toEqual(
      [2, 3, 4, 5, 6, 7].map((index) => `http://127.0.0.1:${20_000 + index}`),
    );
  });

  test('each process gets only its own NATS credentials', () => {
    for (const plan of plans) {
      const text = JSON.stringify(environmentOf(plan, installation()));
      expect(processNames.filter((name) => text.includes(`nats-${name}@`))).toEqual([plan.process]);
    }
  });

  test('only identity gets the secrets of other processes', () => {
    for (const plan of plans) {
      const text = JSON.stringify(environmentOf(plan, installation()));
      const known = callerNames.filter((caller) => text.includes(`${caller}-secret`));
      expect(known).toEqual(plan.process === 'identity' ? callerNames : [plan.process]);
    }
  });

  test("the database and NATS URLs in the caller's environment are not passed on to services", () => {
    const person = { TOCSIN_DATABASE_URL: 'postgres://superuser@db/x', TOCSIN_NATS_URL: 'nats://other' };
    for (const plan of plans) {
      expect(JSON.stringify(environmentOf(plan, installation(person)))).not.toMatch(/superuser|other/);
    }
  });

  test('only the gateway gets the public port', () => {
    const person = installation({ TOCSIN_PORT: '1' });
    const knowing = plans.filter((plan) => 'TOCSIN_PORT' in environmentOf(plan, person));
    expect(knowing.map(({ name }) => name)).toEqual(['gateway']);
    expect(of('gateway', { TOCSIN_PORT: '1' }).TOCSIN_PORT).toBe('8080');
  });

  test("only the notifier gets the mail server's password", () => {
    const person = installation({ TOCSIN_SMTP_URL: 'smtp://u:p@mail', TOCSIN_SMTP_URL_FILE: '/run/smtp' });
    const knowing = plans.filter((plan) => /smtp/.test(JSON.stringify(environmentOf(plan, person))));
    expect(knowing.map(({ name }) => name)).toEqual(['notifier']);
    expect(of('notifier', person.env)).toMatchObject(person.env);
  });

  test('only statuspage gets the secrets for the snapshot bucket', () => {
    const person = installation({ TOCSIN_SNAPSHOT_S3_URL: 'https://s3/b', TOCSIN_SNAPSHOT_S3_SECRET_ACCESS_KEY: 'x' });
    const knowing = plans.filter((plan) => /SNAPSHOT/.test(JSON.stringify(environmentOf(plan, person))));
    expect(knowing.map(({ name }) => name)).toEqual(['statuspage']);
    expect(of('statuspage', person.env)).toMatchObject(person.env);
  });

  test('the notifier sends mails to the local mailbox if there is one', () => {
    const notifier = plans.find(({ process }) => process === 'notifier') as Plan;
    const mailboxUrl = 'smtp://127.0.0.1:25000';
    expect(environmentOf(notifier, { ...installation(), mailboxUrl }).TOCSIN_SMTP_URL).toBe(mailboxUrl);
    expect(environmentOf(notifier, installation())).not.toHaveProperty('TOCSIN_SMTP_URL');
  });

  test('only processes that encrypt secrets get the vault keys', () => {
    const knowing = (env: NodeJS.ProcessEnv) =>
      plans.filter((plan) => /k1:abc|k2:def/.test(JSON.stringify(environmentOf(plan, installation(env)))));
    const names = new Set(['identity', 'monitor', 'notifier', 'gateway']);
    expect(new Set(knowing({}).map((plan) => plan.process))).toEqual(names);
    expect(new Set(knowing({ TOCSIN_VAULT_KEYS: 'k2:def' }).map((plan) => plan.process))).toEqual(names);
  });

  test("Tocsin and OpenTelemetry variables of the caller are passed on, and npm's variables are not", () => {
    const person = { TOCSIN_LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'x', npm_config_cache: '/x', NODE_OPTIONS: '--x' };
    const env = of('monitor', person);
    expect(env).toMatchObject({ TOCSIN_LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'x' });
    expect(Object.keys(env)).not.toContain('npm_config_cache');
    expect(Object.keys(env)).not.toContain('NODE_OPTIONS');
  });

  test('checks may reach localhost unless configured otherwise', () => {
    expect(of('checker').TOCSIN_ALLOW_PRIVATE_TARGETS).toBe('127.0.0.0/8,::1/128');
    const closed = of('checker', { TOCSIN_ALLOW_PRIVATE_TARGETS: '' });
    expect(closed.TOCSIN_ALLOW_PRIVATE_TARGETS).toBe('');
  });

  test("checks and alerts can't reach the ports of the installation's own servers", () => {
    for (const process of ['checker', 'notifier'] as const) {
      const closed = of(process, { TOCSIN_CLOSED_PORTS: '99' }).TOCSIN_CLOSED_PORTS?.split(',').map(Number);
      expect(closed).toEqual(expect.arrayContaining([...Object.values(installation().ports), 99]));
      expect(closed).not.toContain(installation().port);
    }
  });

  test('only the gateway listens on the configured host', () => {
    const person = { TOCSIN_HOST: '0.0.0.0' };
    const hosts = plans.filter((plan) => environmentOf(plan, installation(person)).TOCSIN_HOST === '0.0.0.0');
    expect(hosts.map(({ name }) => name)).toEqual(['gateway']);
  });

  test('each region has a checker, and the monitor service gets all regions', () => {
    const checkers = plans.filter(({ process }) => process === 'checker');
    const regions = checkers.map((plan) => environmentOf(plan, installation()).TOCSIN_REGION);
    expect(regions).toEqual(['east', 'west']);
    expect(of('monitor', { TOCSIN_REGIONS: 'east, west' }).TOCSIN_REGIONS).toBe('east,west');
    expect(of('monitor').TOCSIN_REGIONS).toBe('local-a,local-b');
  });
});
