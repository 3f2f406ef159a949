import { openSecrets } from '@tocsin/local/secrets';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';
import { admin, adminWith, type Ended } from './admin.ts';

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network?.[Symbol.asyncDispose]());

interface Organization {
  readonly organization: { readonly id: number; readonly uuid: string; readonly name: string };
  readonly owner: { readonly id: string; readonly email: string };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const allRights = 'monitors:read_write,status_pages:read_write,alert_channels:read_write,incidents:read';

const run = (...args: string[]) => admin(network.dataDir, ...args);

/** Parses the output of a command, which must be one JSON object on one line. */
function printed<Printed>({ code, stdout, stderr }: Ended): Printed {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

async function newOrganization(name: string): Promise<Organization> {
  return printed(await run('org', 'create', '--name', name, '--owner-email', `${name.toLowerCase()}@example.com`));
}

async function newKey(organization: string, permissions = allRights): Promise<string> {
  const made = await run('key', 'create', '--org', organization, '--name', 'deploy', '--permissions', permissions);
  return printed<{ key: string }>(made).key;
}

test('an organization is created with its owner and the next account number', async () => {
  const acme = await newOrganization('Acme');
  expect(acme).toEqual({
    organization: { id: expect.any(Number), uuid: expect.stringMatching(UUID), name: 'Acme' },
    owner: { id: expect.stringMatching(UUID), email: 'acme@example.com' },
  });
  const { organization } = await newOrganization('Globex');
  expect(organization.id).toBeGreaterThan(acme.organization.id);
  expect(acme.organization.id).toBeGreaterThan(network.installation.bootstrap.organization.id);
});

test('in the pod of identity, the command authenticates as admin, not as identity', async () => {
  const { services } = await openSecrets(network.dataDir);
  const address = network.installation.bootstrap.grpc.identity ?? '';
  const env = {
    TOCSIN_RPC_PORT: address.split(':')[1] ?? '',
    TOCSIN_IDENTITY_URL: `http://${address}`,
    TOCSIN_SERVICE_SECRET: services.identity,
    TOCSIN_SERVICE_SECRETS: `identity:${services.identity},admin:${services.admin}`,
  };
  const words = ['org', 'create', '--name', 'Stark', '--owner-email', 'stark@example.com'];
  expect(printed(await adminWith(env, ...words))).toMatchObject({ organization: { name: 'Stark' } });
});

test('a sign-in link signs its user in to the account page, and works only once', async () => {
  const { owner } = await newOrganization('Hooli');
  const { url, expires_at: expiresAt } = printed<Record<string, string>>(
    await run('sign-in-link', '--email', owner.email),
  );
  expect(url).toMatch(new RegExp(`^${network.baseUrl}/sign-in/link/[\\w-]{43}$`));
  const minutes = (Date.parse(expiresAt ?? '') - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(14);
  expect(minutes).toBeLessThanOrEqual(15);

  const page = await fetch(url ?? '');
  expect(await page.text()).toContain(owner.email);
  const form = { method: 'POST', redirect: 'manual', headers: { origin: network.baseUrl } } as const;
  const signedIn = await fetch(url ?? '', { ...form, body: new URLSearchParams() });
  expect({ status: signedIn.status, location: signedIn.headers.get('location') }).toEqual({
    status: 303,
    location: '/account',
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const account = await fetch(`${network.baseUrl}/account`, { headers: { cookie } });
  expect(await account.text()).toContain(owner.email);
  expect((await fetch(url ?? '', { ...form, body: new URLSearchParams() })).status).toBe(410);
});

test('a created key works at once, only for its organization and with its permissions', async () => {
  const { organization } = await newOrganization('Initech');
  const args = ['--org', organization.uuid, '--name', 'CI', '--permissions', 'monitors:read,incidents:read'];
  const made = printed<Record<string, unknown>>(await run('key', 'create', ...args));
  expect(made).toEqual({
    id: expect.stringMatching(UUID),
    key: expect.stringMatching(/^tocsin_[0-9A-Za-z]{49}$/),
    name: 'CI',
    organization_id: organization.uuid,
    permissions: ['incidents:read', 'monitors:read'],
  });
  expect(await createApi(network.baseUrl, String(made.key)).get('/me')).toMatchObject({
    organization,
    credential: { kind: 'api_key', name: 'CI', permissions: ['incidents:read', 'monitors:read'] },
  });
});

test('a created token is a short-lived JWT for its organization, service and permissions', async () => {
  const { uuid } = network.installation.bootstrap.organization;
  const made = printed<{ token: string }>(
    await run('token', 'create', '--org', uuid, '--service', 'monitor', '--permissions', 'monitors:read'),
  );
  expect(made).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    service: 'monitor',
    organization_id: uuid,
    permissions: ['monitors:read'],
  });
  const claims = JSON.parse(Buffer.from(made.token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ org: uuid, aud: 'monitor', permissions: ['monitors:read'] });
  expect(claims.sub).toMatch(/^credential:/);
  expect(claims.exp - claims.iat).toBeGreaterThan(60);
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(300);
});

test('a new signing key is published, and existing tokens stay valid', async () => {
  const { id, signs_from } = printed<{ id: string; signs_from: string }>(await run('signing-key', 'rotate'));
  expect(id).toMatch(UUID);
  expect(Date.parse(signs_from)).toBeGreaterThan(Date.now());
  expect(await network.api.get('/me')).toMatchObject({ organization: expect.anything() });
});

test('a limit that is set for an organization is shown by GET /me and enforced', async () => {
  const { organization } = await newOrganization('Limited');
  const { uuid } = organization;
  const set = ['limits', 'set', '--org', uuid, '--name', 'status_pages', '--value'];
  expect(printed(await run(...set, '1'))).toMatchObject({ set: ['status_pages'], limits: { status_pages: 1 } });
  const { key } = printed<{ key: string }>(
    await run('key', 'create', '--org', uuid, '--name', 'CI', '--permissions', 'status_pages:read_write'),
  );
  const api = createApi(network.baseUrl, key);
  await api.post('/status-pages', { name: 'One', slug: 'limited-one' });
  const me = await api.get<{ limits: Record<string, { limit: number; used: number }> }>('/me');
  expect(me.limits).toMatchObject({
    status_pages: { limit: 1, used: 1 },
    monitors: { limit: 10_000, used: 0 },
    api_keys: { limit: 100, used: 1 },
    write_bytes_per_day: { limit: 1_000_000_000, used: 1024 },
  });
  await expect(api.post('/status-pages', { name: 'Two', slug: 'limited-two' })).rejects.toThrow('status_pages');
  expect(printed(await run(...set, 'default'))).toMatchObject({ set: [], limits: { status_pages: 100 } });
  expect(printed(await run('limits', 'show', '--org', uuid))).toMatchObject({ set: [], organization_id: uuid });
});

test('a replay shows which past state changes a longer confirmation time would have prevented', async () => {
  const { uuid } = network.installation.bootstrap.organization;
  const { id } = await network.api.post<{ id: string }>('/monitors', {
    name: 'Gone',
    check_type: 'http',
    config: { url: 'http://127.0.0.1:1/' },
    confirm_down_minutes: 0,
  });
  const state = async () => (await network.api.get<{ state: string | null }>(`/monitors/${id}/state`)).state;
  await eventually(async () => expect(await state()).toBe('down'));
  const replay = async (...args: string[]) => run('monitor', 'replay', '--org', uuid, '--monitor', id, ...args);
  expect(await replay()).toMatchObject({ code: 0, stdout: expect.stringContaining('would have decided the same') });

  await network.api.patch(`/monitors/${id}`, { confirm_down_minutes: 30 });
  const { code, stdout, stderr } = await replay('--since', new Date(Date.now() - 86_400_000).toISOString());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^at \(UTC\) +then {2}today {2}why$/m);
  expect(stdout).toMatch(/^\S+ \S+ {2}down {2}- +1 of 1 region failed: /m);
  expect(stdout).toContain('Settings and regions of the past are not stored');

  const others = (await newOrganization('Umbrella')).organization.uuid;
  const foreign = await run('monitor', 'replay', '--org', others, '--monitor', id);
  expect(foreign).toEqual({ code: 1, stdout: '', stderr: 'Refused: monitor not found\n' });
});

describe('help', () => {
  test.each([[['--help']], [['-h']], [[]]])('the arguments %j show all commands', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of ['org create', 'key create', 'token create', 'limits show', 'limits set', 'monitor replay'])
      expect(stdout).toContain(command);
  });

  test.each([
    ['org create', '--owner-email'],
    ['key create', 'status_pages:read_write'],
    ['token create', '--org'],
    ['monitor replay', '[--since TIME]'],
  ])('the command %s --help shows its options', async (command, detail) => {
    const { code, stdout, stderr } = await run(...command.split(' '), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`admin -- ${command}`);
    expect(stdout).toContain(detail);
  });
});

const misuses: [string, string][] = [
  ['org destroy', 'There is no command "org destroy"'],
  ['org', 'There is no command "org"'],
  ['org create --name Acme', '--owner-email is missing'],
  ['org create --name= --owner-email a@example.com', '--name is missing'],
  ['org create --name Acme --owner-email a@example.com --plan gold', '--plan'],
  ['key create --org 1 --name x extra --permissions monitors:read', 'extra'],
  ['token create --org', '--org'],
  ['token create --org 1', '--service is missing'],
  ['monitor replay --org 1', '--monitor is missing'],
  ['limits set --org 1 --name monitors', '--value is missing'],
  ['monitor replay --org 1 --monitor 1 --since=', '--since is missing'],
];

test.each(misuses)('the command %s prints the help and exits with code 2', async (args, words) => {
  const { code, stdout, stderr } = await run(...args.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(words);
  expect(stderr).toContain('Usage: npm run --silent admin');
});

const nowhere = '01920000-0000-7000-8000-000000000000';
const refusals: [string[], string][] = [
  [['org', 'create', '--name', 'Acme', '--owner-email', 'nobody'], 'owner_email must be a mail address'],
  [['org', 'create', '--name', 'a\tb', '--owner-email', 'nobody'], 'name must not contain control characters'],
  [['key', 'create', '--org', nowhere, '--name', 'x', '--permissions', 'monitors:read'], 'organization not found'],
  [['key', 'create', '--org', '1', '--name', 'x', '--permissions', 'monitors:read'], 'organization not found'],
  [
    ['key', 'create', '--org', nowhere, '--name', 'x', '--permissions', 'monitors:all'],
    '"monitors:all" is not a permission',
  ],
  [['token', 'create', '--org', nowhere, '--service', 'monitor'], 'organization not found'],
  [['limits', 'show', '--org', nowhere], 'organization not found'],
  [['limits', 'set', '--org', nowhere, '--name', 'x', '--value', '1'], 'name must be one of monitors'],
  [['limits', 'set', '--org', nowhere, '--name', 'monitors', '--value=-1'], '--value is "-1"'],
  [['monitor', 'replay', '--org', nowhere, '--monitor', nowhere], 'organization not found'],
  [
    ['monitor', 'replay', '--org', nowhere, '--monitor', nowhere, '--since', 'noon'],
    'a time like 2026-11-20T10:00:00Z',
  ],
];

test.each(refusals)('the command %j prints a one-line error and exits with code 1', async (args, words) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(words);
  // The error is one line without a stack trace.
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('without an installation, a command ends with a one-line error', async () => {
  const { code, stdout, stderr } = await admin(
    `${network.dataDir}/nowhere`,
    'token',
    'create',
    '--org',
    nowhere,
    '--service',
    'monitor',
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^There is no installation in .*: start it with npm start, or set TOCSIN_DATA_DIR\.\n$/);
});

describe('two organizations', () => {
  let left: Api;
  let right: Api;
  beforeAll(async () => {
    left = createApi(network.baseUrl, await newKey((await newOrganization('Left')).organization.uuid));
    right = createApi(network.baseUrl, await newKey((await newOrganization('Right')).organization.uuid));
  });

  async function furnish(api: Api, slug: string) {
    const channel = await api.post<{ id: string }>('/alert-channels', {
      name: 'Hook',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/' },
      enabled: false,
      default_for_new_monitors: true,
    });
    const monitor = await api.post<{ id: string; alert_channel_ids: string[] }>('/monitors', {
      name: 'Down',
      check_type: 'http',
      config: { url: 'http://127.0.0.1:1/' },
      confirm_down_minutes: 0,
    });
    const page = await api.post<{ id: string }>('/status-pages', { name: 'Status', slug });
    return { channel, monitor, page };
  }

  test("an organization can't see the resources of another one", async () => {
    const own = new Map([
      [left, await furnish(left, 'left')],
      [right, await furnish(right, 'right')],
    ]);
    for (const [api, { channel, monitor, page }] of own) {
      const ids = async (path: string) => (await api.get<{ id: string }[]>(path)).map(({ id }) => id);
      expect(await ids('/alert-channels')).toEqual([channel.id]);
      expect(await ids('/monitors')).toEqual([monitor.id]);
      expect(await ids('/status-pages')).toEqual([page.id]);
      // Each organization sees only its own default channel.
      expect(monitor.alert_channel_ids).toEqual([channel.id]);
    }
    const [ofLeft] = await opened(left);
    const [ofRight] = await opened(right);
    expect(ofLeft).not.toBe(ofRight);
    for (const [api, foreign] of [
      [left, ofRight],
      [right, ofLeft],
    ] as const) {
      expect(await api.send('GET', `/api/v1/disruptions/${foreign}`)).toMatchObject({ status: 404 });
      expect(await opened(api)).not.toContain(foreign);
    }
  });

  test("an organization can't link the resources of another one", async () => {
    const [channel] = await right.get<{ id: string }[]>('/alert-channels');
    const [foreign] = await right.get<{ id: string }[]>('/monitors');
    const [own] = await left.get<{ id: string }[]>('/monitors');
    const [page] = await left.get<{ id: string }[]>('/status-pages');
    const body = { alert_channel_ids: [channel?.id] };
    expect(await left.send('PATCH', `/api/v1/monitors/${own?.id}`, body)).toMatchObject({
      status: 422,
      body: { error: { errors: { 'alert_channel_ids.0': ['is not an alert channel of this organization'] } } },
    });
    const components = [{ type: 'component', name: 'Theirs', monitors: [{ monitor_id: foreign?.id }] }];
    expect(await left.send('PUT', `/api/v1/status-pages/${page?.id}/structure`, { components })).toMatchObject({
      status: 422,
      body: { error: { errors: { 'components.0.monitors.0.monitor_id': ['is not a monitor of this organization'] } } },
    });
  });
});

/** Waits until the organization has exactly one disruption, and returns its id in a list. */
async function opened(api: Api): Promise<string[]> {
  return eventually(async () => {
    const ids = (await api.get<{ id: string }[]>('/disruptions')).map(({ id }) => id);
    expect(ids).toHaveLength(1);
    return ids;
  });
}
