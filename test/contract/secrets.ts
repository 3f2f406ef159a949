import { randomBytes } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { processNames } from '@tocsin/local/service-names';
import { listen, natsOptions } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Answer, createApi } from '../api.ts';
import { hasSeparateProcesses, type Victim } from '../network.ts';
import { type Fixture, webhookChannel } from './fixture.ts';

/** Unique secret texts that the search must not find. */
const canaries = {
  header: `canary-header-${randomBytes(8).toString('hex')}`,
  signing: `whsec_${Buffer.from(`canary-signing-${randomBytes(8).toString('hex')}`).toString('base64')}`,
  variable: `canary-variable-${randomBytes(8).toString('hex')}`,
  path: `canary-path-${randomBytes(8).toString('hex')}`,
  wrong: `canary-wrong-${randomBytes(8).toString('hex')}`,
};

const nameOfFailing = `Slack ${randomBytes(8).toString('hex')}`;

/** Secrets that the product generates and returns only once. */
const answeredOnce: string[] = [];

/** Files that contain secrets by design. */
const keptFiles = ['secrets.json', 'bootstrap.json'];

/** Tests that responses, logs, messages and files do not reveal the secrets of tenants, even after errors. */
export function secrets(fixture: () => Fixture): void {
  let channel: string;
  beforeAll(async () => {
    channel = await useSecrets(fixture());
  });

  test('the error for an unavailable service or server reveals no internal details', async () => {
    await crashAround(fixture(), `/alert-channels/${channel}`);
  });

  test('no response contains a secret', () => {
    const { answered } = fixture();
    expect(answered.length).toBeGreaterThan(0);
    expect(found(answered.join('\n'), [...Object.values(canaries), ...answeredOnce, ...fixture().keys])).toEqual([]);
  });

  test.each([...processNames, 'postgres', 'nats'])(
    'the log of %s contains no secret and no credential',
    async (name) => {
      const { network, keys } = fixture();
      const text = await network.readLog(name);
      expect(text).not.toBe('');
      expect(
        found(text, [...Object.values(canaries), ...answeredOnce, ...keys, ...(await ownSecrets(network.dataDir))]),
      ).toEqual([]);
      // Matches a JWT, which is the form of internal tokens.
      expect(text).not.toMatch(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/);
    },
  );

  test('no message of any stream contains a secret', async () => {
    const { network, keys } = fixture();
    const nats = await connect(natsOptions(network.installation.nats?.url ?? ''));
    try {
      const { streams } = await jetstreamManager(nats);
      let messages = 0;
      for await (const { config, state } of streams.list()) {
        for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
          const message = await streams.getMessage(config.name, { seq });
          if (!message) continue;
          messages += 1;
          const text = `${message.subject} ${message.header} ${Buffer.from(message.data)}`;
          expect(found(text, [...Object.values(canaries), ...answeredOnce, ...keys]), message.subject).toEqual([]);
        }
      }
      expect(messages).toBeGreaterThan(0);
    } finally {
      await nats.close();
    }
  });

  test('no file of the installation, including the database, contains an unencrypted secret', async () => {
    const { network, keys } = fixture();
    const wanted = [
      ...Object.values(canaries),
      ...answeredOnce,
      ...keys.slice(0, 2),
      network.installation.bootstrap.api_key,
    ];
    let showsNames = false;
    for await (const entry of glob('**/*', { cwd: network.dataDir, withFileTypes: true })) {
      if (!entry.isFile() || keptFiles.includes(entry.name)) continue;
      // The read may fail, because PostgreSQL deletes files at any time.
      const content = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
      showsNames ||= content.includes(nameOfFailing);
      expect(found(content, wanted), entry.name).toEqual([]);
    }
    // Check that the search covered the files of the database: they contain `nameOfFailing`, which is not secret.
    expect(showsNames).toBe(true);
  });
}

/**
 * Sends secrets in valid and invalid requests, and causes deliveries that succeed and fail. Returns the id of a
 * channel.
 */
async function useSecrets({ mine, callAs, keys, network }: Fixture): Promise<string> {
  await using hooks = await startHooks();
  const good = await mine.create<{ id: string }>(
    '/alert-channels',
    webhookChannel({
      config: {
        url: `${hooks.url}/good/${canaries.path}`,
        headers: { authorization: `Bearer ${canaries.header}` },
        signing_secret: canaries.signing,
      },
    }),
  );
  const failing = await mine.create<{ id: string }>('/alert-channels', {
    name: nameOfFailing,
    type: 'slack',
    config: { webhook_url: `${hooks.url}/failing/${canaries.path}` },
  });
  // This response is the only one that may contain the secret, so it is left out of the search.
  const webhook = await createApi(network.baseUrl, keys[0]).post<{ secret: string }>('/webhooks', {
    url: `${hooks.url}/webhook`,
    events: ['monitor.state_changed'],
  });
  answeredOnce.push(webhook.secret, webhook.secret.replace('whsec_', ''));
  await mine.create('/monitors', {
    name: 'Down',
    check_type: 'http',
    config: { url: 'http://127.0.0.1:1/' },
    confirm_down_minutes: 0,
    alert_channel_ids: [good.id, failing.id],
  });
  const probing = await mine.create('/monitors', {
    name: 'Reported back',
    check_type: 'http',
    config: {
      url: `${hooks.url}/probe`,
      headers: { authorization: 'Bearer {{KEY}}' },
      body: '{{KEY}}',
      method: 'POST',
    },
    secrets: { KEY: canaries.variable },
    confirm_down_minutes: 0,
    alert_channel_ids: [good.id],
  });
  await eventually(() => expect([...hooks.asked.keys()].sort()).toEqual(['/failing', '/good', '/probe', '/webhook']), {
    timeoutMs: 60_000,
  });
  // This shows that the secrets were sent.
  expect(hooks.asked.get('/good')).toMatchObject({
    authorization: `Bearer ${canaries.header}`,
    'webhook-signature': expect.stringMatching(/^v1,/),
  });

  expect(hooks.asked.get('/probe')).toMatchObject({ authorization: `Bearer ${canaries.variable}` });
  for (const secrets of [{ KEY: [canaries.wrong] }, { KEY: `${canaries.wrong.padEnd(9_000, 'x')}` }, canaries.wrong]) {
    expect(await mine.call('PATCH', `/monitors/${probing.id}`, { secrets })).toMatchObject({ status: 422 });
  }

  const path = `/alert-channels/${good.id}`;
  const config = {
    url: `http://10.0.0.1/${canaries.wrong}`,
    headers: canaries.wrong,
    signing_secret: [canaries.wrong],
  };
  expect(await mine.call('PATCH', path, { config })).toMatchObject({ status: 422 });
  expect(await mine.call('PATCH', path, `{"config": "${canaries.wrong}`)).toMatchObject({ status: 400 });
  expect(await mine.call('PATCH', path, { type: 'slack', config })).toMatchObject({ status: 422 });
  expect(await callAs(`Basic ${keys[0]}`)('GET', '/me')).toMatchObject({ status: 401 });
  expect(await callAs(`Bearer ${keys[0]}x`)('GET', '/me')).toMatchObject({ status: 401 });
  return good.id;
}

/** Sends requests with secrets while a service is unavailable, because error paths log the most. */
async function crashAround({ network, mine }: Fixture, path: string): Promise<void> {
  const config = {
    url: `https://hooks.example.com/${canaries.path}`,
    headers: { authorization: `Bearer ${canaries.header}` },
    signing_secret: canaries.signing,
  };
  const withNewKey = await mine.callWith(['alert_channels:read']);
  const change = () => mine.call('PATCH', path, { config });
  const servers: [Victim, () => Promise<Answer>][] = [['postgres', change]];
  // The gateway responds only if it has a process of its own.
  const services: [Victim, () => Promise<Answer>][] = [
    ['notifier', change],
    ['identity', () => withNewKey('GET', path)],
  ];
  for (const [victim, call] of hasSeparateProcesses ? [...servers, ...services] : servers) {
    network.kill(victim);
    const response = await call();
    if (response.status !== 200) expectAway(response);
    await eventually(async () => expect(await call()).toMatchObject({ status: 200 }), { timeoutMs: 30_000 });
  }
  expect(await network.readLog('gateway')).toContain('request failed');
}

/** Checks that the error allows a retry and reveals no internals. */
function expectAway({ status, headers, body }: Answer): void {
  expect({ status, body }).toEqual({
    status: 503,
    body: { error: { type: 'unavailable', message: 'a part of the service is unavailable; try again' } },
  });
  expect(headers.get('retry-after')).toBe('5');
}

interface Hooks extends AsyncDisposable {
  readonly url: string;
  /** Headers of the first request to each path. */
  readonly asked: ReadonlyMap<string, IncomingHttpHeaders>;
}

/**
 * Starts a receiver that accepts every request at one path. At another path it responds with an error that echoes the
 * request.
 */
async function startHooks(): Promise<Hooks> {
  const asked = new Map<string, IncomingHttpHeaders>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const name = request.url?.replace(`/${canaries.path}`, '') ?? '';
    if (!asked.has(name)) asked.set(name, request.headers);
    response.statusCode = name === '/good' ? 200 : 500;
    response.end(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the credentials of the installation's own processes. */
async function ownSecrets(dataDir: string): Promise<string[]> {
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  const { services, databases, runtimeDatabases, vaultKeys } = secrets;
  return [...[services, databases, runtimeDatabases].flatMap(Object.values<string>), vaultKeys.split(':')[1]];
}

/** Returns the secrets that a text contains, as plain text or in base64. */
function found(text: string | Buffer, secretTexts: readonly string[]): string[] {
  return secretTexts.filter(
    (secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
  );
}
