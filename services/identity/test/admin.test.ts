import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { EVENT_STREAM, eventSubject } from '@tocsin/outbox';
import { OrganizationCreatedSchema } from '@tocsin/proto/identity/v1/events';
import { createRemoteTokenVerifier, forOrganization, natsOptions, withToken } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

const fixture = await identityFixture();
const server = await fixture.start();
const { admin } = clientsOf(server, 'admin');
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

async function organizationOf(ownerEmail: string): Promise<string> {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail });
  return organization?.id ?? '';
}

test('organizations are numbered from 1, and users are identified by their email address, ignoring case', async () => {
  const acme = await admin.createOrganization({ name: 'Acme', ownerEmail: 'Jane@Example.com' });
  const other = await admin.createOrganization({ name: 'Other', ownerEmail: 'jane@example.com' });
  expect(acme.organization).toMatchObject({ name: 'Acme', accountNumber: 1n });
  expect(other.organization).toMatchObject({ name: 'Other', accountNumber: 2n });
  expect(other.ownerId).toBe(acme.ownerId);
});

test('two organizations that are created concurrently with the same new email address share the user', async () => {
  const wanted = { name: 'Twin', ownerEmail: 'twin@example.com' };
  const twins = await Promise.all([1, 2, 3, 4].map(() => admin.createOrganization(wanted)));
  expect(new Set(twins.map(({ ownerId }) => ownerId)).size).toBe(1);
  expect(new Set(twins.map(({ organization }) => organization?.id)).size).toBe(4);
});

test('one response contains all errors in a new organization or API key', async () => {
  await expect(admin.createOrganization({ name: 'x'.repeat(256), ownerEmail: 'nobody' })).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      name: ['must be at most 255 characters'],
      owner_email: ['must be a mail address such as jane@example.com'],
    },
  });
  const organizationId = await organizationOf('wrong@example.com');
  const expiresAt = timestampFromDate(new Date(Date.now() - 1_000));
  const key = { organizationId, name: '', permissions: ['monitors:everything'], expiresAt };
  await expect(admin.createApiKey(key)).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      name: ['is required'],
      permissions: [expect.stringContaining('"monitors:everything" is not a permission')],
      expires_at: ['must be in the future'],
    },
  });
});

test.each(['01920000-0000-7000-8000-000000000000', 'nonsense'])(
  'creating a key for the nonexistent organization %s fails',
  async (organizationId) => {
    const key = { organizationId, name: 'deploy', permissions: ['monitors:read'] };
    await expect(admin.createApiKey(key)).rejects.toMatchObject({
      kind: 'not_found',
      message: 'organization not found',
    });
  },
);

test('an administrator token that is limited to one organization can not create API keys or organizations', async () => {
  const [own, other] = [await organizationOf('own@example.com'), await organizationOf('other@example.com')];
  for (const organizationId of [own, other]) {
    const key = { organizationId, name: 'deploy', permissions: ['monitors:read'] };
    await expect(admin.createApiKey(key, forOrganization(own))).rejects.toMatchObject({ kind: 'forbidden' });
  }
  const created = admin.createOrganization({ name: 'X', ownerEmail: 'x@example.com' }, forOrganization(own));
  await expect(created).rejects.toMatchObject({ kind: 'forbidden' });
});

test('createToken() returns a token that has an organization and permissions, and is valid at one service', async () => {
  const organizationId = await organizationOf('direct@example.com');
  const permissions = ['monitors:read_write', 'api_keys:read_write'];
  const { token } = await admin.createToken({ organizationId, audience: 'identity', permissions });
  expect(await createRemoteTokenVerifier(urlOf(server)).verify(token, 'identity')).toMatchObject({
    kind: 'credential',
    organizationId,
    actorEmail: 'direct@example.com',
    permissions: [...permissions].sort(),
  });
  // The token gives no administrative rights. It does not belong to an API key, so it can not create API keys either.
  const held = clientsOf(server);
  const key = { organizationId, name: 'deploy', permissions: ['monitors:read'] };
  await expect(held.admin.createApiKey(key, withToken(token))).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(held.keys.issueApiKey(key, withToken(token))).rejects.toMatchObject({ kind: 'forbidden' });
  expect((await held.keys.listApiKeys({}, withToken(token))).apiKeys).toEqual([]);
});

test('if the request for a token is invalid, one error lists all invalid fields', async () => {
  const organizationId = await organizationOf('wrong-token@example.com');
  await expect(admin.createToken({ organizationId, audience: '', permissions: [] })).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      audience: ['must be the name of the service that is to be called'],
      permissions: ['must name at least one permission'],
    },
  });
});

test('creating an organization publishes an event, and each step is in the audit log', async () => {
  const organizationId = await organizationOf('fact@example.com');
  const { id } = await admin.createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });

  const nats = await connect(natsOptions(fixture.natsUrl));
  const subject = eventSubject(OrganizationCreatedSchema.typeName);
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  const events = await consumer.consume();
  for await (const message of events) {
    const event = fromBinary(OrganizationCreatedSchema, message.data);
    if (event.organizationId !== organizationId) continue;
    expect(event).toMatchObject({ name: 'Acme', ownerEmail: 'fact@example.com' });
    break;
  }
  await nats.close();

  const audit = await tables.transaction({ organizationId }, (tx) =>
    tx.query('select actor, action, target_id from audit_log where organization_id = $1 order by id', [organizationId]),
  );
  expect(audit).toEqual([
    { actor: 'service:admin', action: 'organization.created', target_id: organizationId },
    { actor: 'service:admin', action: 'api_key.created', target_id: id },
  ]);
});

test('row security hides the rows of another organization from a query without a WHERE clause', async () => {
  const mine = await organizationOf('mine@example.com');
  const other = await organizationOf('other@example.com');
  await admin.createApiKey({ organizationId: other, name: 'deploy', permissions: ['monitors:read'] });
  for (const table of ['membership', 'api_key', 'audit_log']) {
    const sql = `select distinct organization_id from ${table}`;
    const seen = (organizationId: string) => tables.transaction({ organizationId }, (tx) => tx.query(sql));
    expect(await seen(other)).toEqual([{ organization_id: other }]);
    expect(await seen(mine)).not.toContainEqual({ organization_id: other });
  }
});
