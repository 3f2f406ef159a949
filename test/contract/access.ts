import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ALL_PERMISSIONS } from '@tocsin/enums';
import { eventually } from '@tocsin/testing';
import { describe, expect, test } from 'vitest';
import { type Call, type Fixture, idleMonitor, idleScript, newPage, newWebhook, webhookChannel } from './fixture.ts';
import { pathOf } from './path-of.ts';
import { sendPicture, sendSeen } from './seen.ts';

interface Row {
  /** Permission that the operation needs. If undefined, any valid credential is accepted. */
  readonly permission?: string;
  /** Creates a resource. Returns the id, or ids joined by `/`, for the parameters of the path. */
  readonly of?: (fixture: Fixture) => Promise<string>;
  readonly body?: () => object;
}

const aMonitor = async ({ mine }: Fixture) => (await mine.create('/monitors', idleMonitor())).id;

/** Creates a monitor with a known certificate, and returns its id. */
async function aSecureMonitor(fixture: Fixture): Promise<string> {
  const id = await aMonitor(fixture);
  const notAfter = timestampFromDate(new Date('2099-01-01T00:00:00Z'));
  await sendSeen(fixture.network, id, { secondsAgo: 1, certificate: { fingerprint: 'ab', notAfter } });
  await eventually(async () =>
    expect(await fixture.mine.call('GET', `/monitors/${id}/cert`)).toMatchObject({ status: 200 }),
  );
  return id;
}

/** Creates a failed script run with a screenshot, and returns its ids as `<monitor>/<run>`. */
async function aFailedRun({ mine, network }: Fixture): Promise<string> {
  const { id } = await mine.create('/monitors', idleScript());
  const [roundAt = new Date()] = await sendSeen(network, id, { secondsAgo: 1 });
  await sendPicture(network, id, roundAt);
  return eventually(async () => {
    const { body } = await mine.call('GET', `/monitors/${id}/runs`);
    const [run] = (body as { data: { id: string }[] }).data;
    expect(run).toBeDefined();
    return `${id}/${run?.id}`;
  });
}

const aChannel = async ({ mine }: Fixture) => (await mine.create('/alert-channels', webhookChannel())).id;
const aPage = async ({ mine }: Fixture) => (await mine.create('/status-pages', newPage())).id;

const aReachableChannel = async ({ mine, receiver }: Fixture) =>
  (await mine.create('/alert-channels', webhookChannel({ config: { url: `${receiver.url}/access` } }))).id;
const aWebhook = async ({ mine, receiver }: Fixture) =>
  (await mine.create('/webhooks', newWebhook({ url: `${receiver.url}/access` }))).id;

async function aWebhookDelivery(fixture: Fixture): Promise<string> {
  const webhook = await aWebhook(fixture);
  const { body } = await fixture.mine.call('POST', `/webhooks/${webhook}/test`);
  return `${webhook}/${(body as { data: { id: string } }).data.id}`;
}

const aKey = async ({ mine }: Fixture) =>
  (await mine.create('/api-keys', { name: 'x', permissions: ['api_keys:read'] })).id;

const aDomain = () => ({ domain: `status-${randomUUID()}.example.com` });

async function aPageWithDomain(fixture: Fixture): Promise<string> {
  const page = await aPage(fixture);
  await fixture.mine.call('PUT', `/status-pages/${page}/custom-domain`, aDomain());
  return page;
}

async function aComponent(fixture: Fixture): Promise<string> {
  const page = await aPage(fixture);
  return `${page}/${(await fixture.mine.create(`/status-pages/${page}/components`, { name: 'Shop' })).id}`;
}

async function aGroup(fixture: Fixture): Promise<string> {
  const page = await aPage(fixture);
  return `${page}/${(await fixture.mine.create(`/status-pages/${page}/component-groups`, { name: 'Web' })).id}`;
}

const rename = () => ({ name: 'New name' });

/** Every operation of the API with its permission and resource. */
export const rows: Readonly<Record<string, Row>> = {
  'GET /api/v1/me': {},
  'GET /api/v1/monitors': { permission: 'monitors:read' },
  'POST /api/v1/monitors': { permission: 'monitors:read_write', body: idleMonitor },
  'POST /api/v1/monitors/batch': { permission: 'monitors:read_write', body: () => ({ monitors: [idleMonitor()] }) },
  'GET /api/v1/monitors/{id}': { permission: 'monitors:read', of: aMonitor },
  'PATCH /api/v1/monitors/{id}': { permission: 'monitors:read_write', of: aMonitor, body: rename },
  'DELETE /api/v1/monitors/{id}': { permission: 'monitors:read_write', of: aMonitor },
  'POST /api/v1/monitors/{id}/check': { permission: 'monitors:read_write', of: aMonitor },
  'GET /api/v1/monitors/{id}/state': { permission: 'monitors:read', of: aMonitor },
  'GET /api/v1/monitors/{id}/uptime': { permission: 'monitors:read', of: aMonitor },
  'GET /api/v1/monitors/{id}/response-times': { permission: 'monitors:read', of: aMonitor },
  'GET /api/v1/monitors/{id}/cert': { permission: 'monitors:read', of: aSecureMonitor },
  'GET /api/v1/monitors/{id}/transitions': { permission: 'monitors:read', of: aMonitor },
  'GET /api/v1/monitors/{id}/runs': { permission: 'monitors:read', of: aMonitor },
  'GET /api/v1/monitors/{id}/runs/{run_id}/screenshot': { permission: 'monitors:read', of: aFailedRun },
  'GET /api/v1/alert-channels': { permission: 'alert_channels:read' },
  'POST /api/v1/alert-channels': { permission: 'alert_channels:read_write', body: webhookChannel },
  'GET /api/v1/alert-channels/{id}': { permission: 'alert_channels:read', of: aChannel },
  'PATCH /api/v1/alert-channels/{id}': { permission: 'alert_channels:read_write', of: aChannel, body: rename },
  'DELETE /api/v1/alert-channels/{id}': { permission: 'alert_channels:read_write', of: aChannel },
  'POST /api/v1/alert-channels/{id}/test': { permission: 'alert_channels:read_write', of: aReachableChannel },
  'GET /api/v1/alert-channels/{id}/deliveries': { permission: 'alert_channels:read', of: aChannel },
  'POST /api/v1/alert-channels/{id}/replay': {
    permission: 'alert_channels:read_write',
    of: aChannel,
    body: () => ({ since: new Date(Date.now() - 3_600_000).toISOString() }),
  },
  'GET /api/v1/webhooks': { permission: 'monitors:read' },
  'POST /api/v1/webhooks': { permission: 'monitors:read_write', body: newWebhook },
  'GET /api/v1/webhooks/{id}': { permission: 'monitors:read', of: aWebhook },
  'PATCH /api/v1/webhooks/{id}': {
    permission: 'monitors:read_write',
    of: aWebhook,
    body: () => ({ events: ['monitor.deleted'] }),
  },
  'DELETE /api/v1/webhooks/{id}': { permission: 'monitors:read_write', of: aWebhook },
  'POST /api/v1/webhooks/{id}/test': { permission: 'monitors:read_write', of: aWebhook },
  'GET /api/v1/webhooks/{id}/deliveries': { permission: 'monitors:read', of: aWebhook },
  'POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    permission: 'monitors:read_write',
    of: aWebhookDelivery,
  },
  'POST /api/v1/webhooks/{id}/rotate-secret': { permission: 'monitors:read_write', of: aWebhook },
  'POST /api/v1/webhooks/{id}/replay': {
    permission: 'monitors:read_write',
    of: aWebhook,
    body: () => ({ since: new Date(Date.now() - 3_600_000).toISOString() }),
  },
  'GET /api/v1/status-pages': { permission: 'status_pages:read' },
  'POST /api/v1/status-pages': { permission: 'status_pages:read_write', body: newPage },
  'GET /api/v1/status-pages/{id}': { permission: 'status_pages:read', of: aPage },
  'PATCH /api/v1/status-pages/{id}': { permission: 'status_pages:read_write', of: aPage, body: rename },
  'PUT /api/v1/status-pages/{id}/structure': {
    permission: 'status_pages:read_write',
    of: aPage,
    body: () => ({ components: [] }),
  },
  'DELETE /api/v1/status-pages/{id}': { permission: 'status_pages:read_write', of: aPage },
  'GET /api/v1/status-pages/{id}/custom-domain': { permission: 'status_pages:read', of: aPageWithDomain },
  'PUT /api/v1/status-pages/{id}/custom-domain': { permission: 'status_pages:read_write', of: aPage, body: aDomain },
  'POST /api/v1/status-pages/{id}/custom-domain/verify': { permission: 'status_pages:read_write', of: aPageWithDomain },
  'DELETE /api/v1/status-pages/{id}/custom-domain': { permission: 'status_pages:read_write', of: aPageWithDomain },
  ...below('/status-pages/{status_page_id}/components', aComponent, { name: 'Shop' }),
  ...below('/status-pages/{status_page_id}/component-groups', aGroup, { name: 'Web' }),
  ...incidentRows('disruptions', { title: 'Nothing works', started_at: '2026-11-20T10:00:00Z' }),
  ...incidentRows('incidents', { title: 'Nothing works' }),
  'GET /api/v1/api-keys': { permission: 'api_keys:read' },
  'POST /api/v1/api-keys': {
    permission: 'api_keys:read_write',
    body: () => ({ name: 'x', permissions: ['api_keys:read'] }),
  },
  'GET /api/v1/api-keys/{id}': { permission: 'api_keys:read', of: aKey },
  'GET /api/v1/audit-log': { permission: 'audit_log:read' },
  'DELETE /api/v1/api-keys/{id}': { permission: 'api_keys:read_write', of: aKey },
};

/** Endpoints that require no credential. The heartbeat tests call them. */
const open = ['POST', 'GET', 'HEAD'].flatMap((method) =>
  ['', '/fail', '/start'].map((suffix) => `${method} /api/heartbeat/{token}${suffix}`),
);

/** Returns the rows for `/disruptions` or `/incidents`, which are two names of the same resource. */
function incidentRows(name: string, body: object): Record<string, Row> {
  const of = async ({ mine }: Fixture) => (await mine.create(`/${name}`, body)).id;
  /** Returns the ids of a disruption and of its second timeline entry. A timeline's only entry can't be deleted. */
  const ofUpdate = async ({ mine }: Fixture) => {
    const { id } = await mine.create(`/${name}`, body);
    const { body: changed } = await mine.call('PATCH', `/${name}/${id}`, { message: 'More' });
    const { updates } = (changed as { data: { updates: { id: string }[] } }).data;
    return `${id}/${updates[0]?.id}`;
  };
  return {
    [`GET /api/v1/${name}`]: { permission: 'incidents:read' },
    [`POST /api/v1/${name}`]: { permission: 'incidents:read_write', body: () => body },
    [`GET /api/v1/${name}/{id}`]: { permission: 'incidents:read', of },
    [`POST /api/v1/${name}/{id}/acknowledge`]: { permission: 'incidents:read_write', of },
    [`PATCH /api/v1/${name}/{id}`]: {
      permission: 'incidents:read_write',
      of,
      body: () => ({ title: 'Something works' }),
    },
    [`PATCH /api/v1/${name}/{id}/updates/{update_id}`]: {
      permission: 'incidents:read_write',
      of: ofUpdate,
      body: () => ({ message: 'Edited' }),
    },
    [`DELETE /api/v1/${name}/{id}/updates/{update_id}`]: { permission: 'incidents:read_write', of: ofUpdate },
    [`DELETE /api/v1/${name}/{id}`]: { permission: 'incidents:read_write', of },
  };
}

/** Returns the rows for a kind of resource that belongs to a page. `of` returns two ids: `<page>/<resource>`. */
function below(path: string, of: (fixture: Fixture) => Promise<string>, body: object): Record<string, Row> {
  return {
    [`GET /api/v1${path}`]: { permission: 'status_pages:read', of: aPage },
    [`POST /api/v1${path}`]: { permission: 'status_pages:read_write', of: aPage, body: () => body },
    [`GET /api/v1${path}/{id}`]: { permission: 'status_pages:read', of },
    [`PATCH /api/v1${path}/{id}`]: { permission: 'status_pages:read_write', of, body: rename },
    [`DELETE /api/v1${path}/{id}`]: { permission: 'status_pages:read_write', of },
  };
}

/** A key that has a valid checksum, but was never issued. */
const neverIssued = `tocsin_${'0'.repeat(43)}2CZclj`;

const badCredentials: [string, string | undefined][] = [
  ['no credential', undefined],
  ['an empty one', 'Bearer '],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
  ['what is no key', 'Bearer hello'],
  ['a key with a wrong checksum', `Bearer ${neverIssued.slice(0, -1)}k`],
  ['a key that was never issued', `Bearer ${neverIssued}`],
  ['an access token that was never issued', `Bearer ${'0'.repeat(43)}`],
];

/** Tests that every operation in the document accepts the right credentials and no others. */
export function access(fixture: () => Fixture): void {
  test('the table of permissions has every operation of the OpenAPI document', () => {
    const operations = fixture().document.operations.map(({ name }) => name);
    expect(operations.sort()).toEqual([...Object.keys(rows), ...open].sort());
  });

  describe.each(Object.entries(rows))('%s', (name, { permission, of, body }) => {
    const [method = '', template = ''] = name.split(' ');
    const call = (as: Call, id: string) => as(method, pathOf(name, id), body?.());

    test('a call without a valid credential is refused', async () => {
      const id = randomUUID();
      for (const [what, authorization] of badCredentials) {
        const response = await call(fixture().callAs(authorization), id);
        expect(response, what).toMatchObject({ status: 401, body: { error: { type: 'invalid_api_key' } } });
        expect(response.headers.get('www-authenticate'), what).toBe('Bearer');
      }
    });

    test('a call for a stopped organization is refused', async () => {
      const response = await call(fixture().stopped.call, randomUUID());
      expect(response).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
      expect(response.body).toHaveProperty('error.message', expect.stringContaining('the organization is stopped'));
    });

    if (permission) {
      test(`a call with all permissions except ${permission} is refused`, async () => {
        const { mine } = fixture();
        const others = allPermissionsBut(permission);
        for (const client of [await mine.callWith(others), await mine.callWithToken(others)]) {
          const response = await call(client, randomUUID());
          expect(response).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
          expect(response.body).toHaveProperty('error.message', expect.stringContaining(permission));
        }
      });
    }

    test.each(['key', 'access token'])(
      `a call whose %s has ${permission ?? 'any permission'} is accepted`,
      async (kind) => {
        const { mine, document } = fixture();
        const permissions = [permission ?? 'incidents:read'];
        const only = await (kind === 'key' ? mine.callWith(permissions) : mine.callWithToken(permissions));
        const { status } = await call(only, (await of?.(fixture())) ?? '');
        const described = document.operations.find((operation) => operation.name === name);
        expect(Object.keys(described?.responses ?? {})[0]).toBe(String(status));
      },
    );

    if (!of) return;

    test('a call for a resource of another organization returns the same 404 as for an unknown id', async () => {
      const { mine, theirs } = fixture();
      const id = await of(fixture());
      const resource = `/${template.split('/')[3]}/${id}`;
      const before = await mine.call('GET', resource);

      const foreign = await call(theirs.call, id);
      expect(foreign).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
      expect((await call(theirs.call, randomUUID())).body).toEqual(foreign.body);
      expect((await mine.call('GET', resource)).body).toEqual(before.body);
    });

    test.each(['1', 'not-a-uuid', '0192f0c1-7d7e-7b3c-9d51-1f0a6f3b2c4d0', "'--", 'x'.repeat(300), '%00', '%ff'])(
      'a call with the id %s returns 404',
      async (id) => {
        const response = await call(fixture().mine.call, id);
        expect(response).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
        expect(response.headers.get('x-request-id')).toMatch(/./);
      },
    );
  });

  test('the permission read_write includes read', async () => {
    const call = await fixture().mine.callWith(['monitors:read_write']);
    expect(await call('GET', '/monitors')).toMatchObject({ status: 200 });
  });

  test('a monitor with an unknown alert channel or one of another organization is refused', async () => {
    const { mine, theirs } = fixture();
    const { id: channel } = await theirs.create('/alert-channels', webhookChannel());
    const { id: monitor } = await mine.create('/monitors', idleMonitor());
    const refused = {
      status: 422,
      body: { error: { errors: { 'alert_channel_ids.0': ['is not an alert channel of this organization'] } } },
    };
    const body = { alert_channel_ids: [channel] };
    expect(await mine.call('POST', '/monitors', idleMonitor(body))).toMatchObject(refused);
    expect(await mine.call('PATCH', `/monitors/${monitor}`, body)).toMatchObject(refused);
    expect(await mine.call('PATCH', `/monitors/${monitor}`, { alert_channel_ids: [randomUUID()] })).toMatchObject(
      refused,
    );
  });
}

/**
 * Returns all permissions that do not grant the given one: the permissions for other resources, and the read permission
 * for the same resource if the given one allows writes.
 */
function allPermissionsBut(permission: string): string[] {
  const [resource] = permission.split(':');
  const others = ALL_PERMISSIONS.filter((name) => !name.startsWith(`${resource}:`));
  return permission.endsWith(':read') ? others : [...others, `${resource}:read`];
}
