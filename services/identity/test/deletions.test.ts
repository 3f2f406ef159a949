import { connect } from '@nats-io/transport-node';
import { openDatabase } from '@tocsin/database';
import { advanceOrganizations, eventSubject, ORGANIZATIONS_DUE } from '@tocsin/outbox';
import {
  CredentialRevokedSchema,
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';
import { forOrganization, natsOptions } from '@tocsin/runtime';
import { eventually, tablesContaining } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteDueOrganization, organizationHooks } from '../src/app/organization-deletion.ts';
import { deleteDueUser } from '../src/app/user-deletion.ts';
import { ORGANIZATION_DELETION_DUE, USER_DELETION_DUE } from '../src/storage/deletion-store.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';
import { Browser, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PASSWORD = 'correct horse battery staple';
const STOPPED =
  'the organization is stopped and will be deleted on 2026-12-07; an owner can cancel the deletion until then';

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
const database = await openDatabase({ url: tables.url, entities, migrations, poolSize: 2 });
const nats = await connect(natsOptions(fixture.natsUrl));
/** Published events about organizations and credentials, each as its type and its aggregate id. */
const published: string[] = [];
for (const { typeName } of [
  OrganizationStoppedSchema,
  OrganizationResumedSchema,
  OrganizationDeletedSchema,
  CredentialRevokedSchema,
]) {
  nats.subscribe(eventSubject(typeName), {
    callback: (_, { headers }) =>
      void published.push(`${typeName.split('.').at(-1)} ${headers?.get('Tocsin-Aggregate')}`),
  });
}
await nats.flush();
afterAll(async () => {
  await nats.close();
  await database[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

/** Returns a client with a new token, because earlier tokens expire when a test advances the clock. */
const admin = () => clientsOf(identity, 'admin').admin;

let tests = 0;
let organizationId: string;
let settings: string;
let jane: string;
beforeEach(async () => {
  now = START;
  tests += 1;
  jane = `jane.${tests}@example.com`;
  organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail: jane })).organization?.id ?? '';
  settings = `/account/organizations/${organizationId}/settings`;
});

const query = (sql: string, ...values: unknown[]) =>
  tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));
const actions = async (pattern: string) =>
  (
    await query(
      'select action, actor from audit_log where organization_id = $1 and action ~ $2 order by id',
      organizationId,
      pattern,
    )
  ).map(({ action, actor }) => `${action} by ${actor}`);
const mailsTo = (to: string) => fixture.sent.filter((mail) => mail.to === to).map(({ text }) => text);

async function signIn(email: string): Promise<Browser> {
  const browser = new Browser(identity, `198.51.100.${tests}`);
  const { url } = await admin().createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

async function addMember(role: string): Promise<string> {
  const email = `${role}.${tests}@example.com`;
  await admin().addMember({ organizationId, email, role });
  return email;
}

const gateway = () => clientsOf(identity, 'gateway').identity;
const exchange = (secret: string) => gateway().exchangeCredential({ secret, audiences: ['monitor'] });

/** Deletes everything that is due for deletion, as the service does in its loops. */
async function deleteDue(): Promise<void> {
  const deps = { database, now: () => now };
  await runWhileDue(ORGANIZATION_DELETION_DUE, () => deleteDueOrganization(deps));
  await runWhileDue(ORGANIZATIONS_DUE, () => advanceOrganizations(database, organizationHooks, now));
  await runWhileDue(USER_DELETION_DUE, () => deleteDueUser(deps));
}

/** Repeats a run until nothing is left, and expects that the condition of its loop is true whenever there is work. */
async function runWhileDue(condition: string, run: () => Promise<'again' | 'done'>): Promise<void> {
  for (;;) {
    const sql = `select $1::timestamptz as now, (${condition}) <= $1 as due`;
    const [row] = await database.read<{ due: boolean | null }>('every organization', sql, [now]);
    if ((await run()) === 'done') return;
    expect(row?.due).toBe(true);
  }
}

describe('deletion of organizations', () => {
  const request = async (browser: Browser, name = 'Acme', current = '') =>
    browser.post(`${settings}/delete`, { name, current });

  test('when an owner requests the deletion of an organization, its keys are refused at once, and all owners get an email', async () => {
    const second = await addMember('owner');
    const { id, key } = await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
    const { secret } = await admin().createServiceCredential({
      organizationId,
      name: 'program',
      permissions: ['monitors:read'],
      audiences: ['monitor'],
    });
    const exchangeService = () =>
      clientsOf(identity).identity.exchangeServiceCredential({ secret, audience: 'monitor' });
    await exchange(key);
    await exchangeService();
    const owner = await signIn(jane);
    expect(await request(owner)).toMatchObject({ status: 303, location: settings });
    await expect(exchange(key)).rejects.toMatchObject({ kind: 'forbidden', message: STOPPED });
    await expect(exchangeService()).rejects.toMatchObject({ kind: 'forbidden', message: STOPPED });
    await eventually(() =>
      expect(published).toEqual(
        expect.arrayContaining([`OrganizationStopped ${organizationId}`, `CredentialRevoked ${id}`]),
      ),
    );
    for (const email of [jane, second]) {
      await eventually(() => expect(mailsTo(email)).toContainEqual(expect.stringContaining('deleted on 2026-12-07')));
    }
    expect((await owner.visit(settings)).text).toContain('The organization is stopped');
    expect(await actions('^organization.deletion')).toEqual([`organization.deletion_requested by ${jane}`]);
  });

  test('an organization works again when an owner cancels its deletion', async () => {
    const second = await addMember('owner');
    const { key } = await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
    await request(await signIn(jane));
    const owner = await signIn(second);
    expect(await owner.post(`${settings}/cancel-deletion`)).toMatchObject({ location: `${settings}?cancelled` });
    expect((await exchange(key)).organization?.id).toBe(organizationId);
    await eventually(() => expect(published).toContain(`OrganizationResumed ${organizationId}`));
    expect(await actions('^organization.deletion')).toEqual([
      `organization.deletion_requested by ${jane}`,
      `organization.deletion_cancelled by ${second}`,
    ]);
    now = new Date(START.getTime() + 30 * DAY_MS);
    await deleteDue();
    expect((await exchange(key)).organization?.id).toBe(organizationId);
  });

  test('an organization is deleted after 14 days, with all its rows', async () => {
    const email = await addMember('admin');
    const owner = await signIn(jane);
    const created = await admin().createApiKey({ organizationId, name: 'a', permissions: ['api_keys:read_write'] });
    const { tokens } = await gateway().exchangeCredential({ secret: created.key, audiences: ['identity'] });
    const { keys } = clientsOf(identity);
    // An API key that was created with another API key. Its row refers to the row of that key.
    await keys.issueApiKey(
      { name: 'b', permissions: ['api_keys:read'] },
      { headers: { authorization: `Bearer ${tokens.identity}` } },
    );
    await admin().setLimit({ organizationId, name: 'monitors', value: 5n });
    await owner.post(`/account/organizations/${organizationId}/members/invite`, {
      email: 'x@example.com',
      role: 'member',
    });
    await request(owner);
    now = new Date(START.getTime() + 14 * DAY_MS - 1);
    await deleteDue();
    expect((await owner.visit(settings)).status).toBe(200);
    now = new Date(START.getTime() + 14 * DAY_MS);
    expect((await owner.post(`${settings}/cancel-deletion`)).status).toBe(303);
    await deleteDue();
    await eventually(() => expect(published).toContain(`OrganizationDeleted ${organizationId}`));
    expect((await owner.visit(settings)).status).toBe(404);
    const left = ['outbox_sequence', 'published_event', 'stopped_organization'];
    await eventually(async () => expect(await tablesContaining(tables.url, organizationId)).toEqual(left));
    now = new Date(START.getTime() + 22 * DAY_MS + 1);
    await deleteDue();
    // Only the published event is left, which the relay deletes after an hour.
    expect(await tablesContaining(tables.url, organizationId)).toEqual(['published_event']);
    // The users of the organization are not deleted.
    expect((await (await signIn(email)).visit('/account')).status).toBe(200);
  });

  test('only an owner who enters the exact name of an organization can request its deletion', async () => {
    for (const role of ['admin', 'member']) {
      const browser = await signIn(await addMember(role));
      expect((await request(browser)).status).toBe(403);
      expect((await browser.visit(settings)).text).toContain('Only an owner can delete');
    }
    await admin().createOrganization({ name: 'Other', ownerEmail: `mallory.${tests}@example.com` });
    const mallory = await signIn(`mallory.${tests}@example.com`);
    expect((await request(mallory)).status).toBe(404);
    expect((await mallory.visit(settings)).status).toBe(404);
    const owner = await signIn(jane);
    expect(await request(owner, 'acme')).toMatchObject({ status: 422, text: expect.stringContaining('exactly') });
    expect(await actions('^organization.deletion')).toEqual([]);
  });

  test("an admin can't cancel the deletion of an organization", async () => {
    const browser = await signIn(await addMember('admin'));
    await request(await signIn(jane));
    expect((await browser.post(`${settings}/cancel-deletion`)).status).toBe(403);
    expect(await actions('cancelled')).toEqual([]);
  });

  test('an owner who signed in an hour ago must enter the password to request the deletion of an organization', async () => {
    const owner = await signIn(jane);
    await owner.post('/account/password', { password: PASSWORD });
    now = new Date(START.getTime() + HOUR_MS);
    expect((await request(owner, 'Acme', 'wrong')).status).toBe(422);
    expect((await request(owner, 'Acme', PASSWORD)).status).toBe(303);
  });

  test('the operator stops an organization, and cancels its deletion', async () => {
    const { deleteAt } = await admin().deleteOrganization({ organizationId });
    expect(Number(deleteAt?.seconds) * 1_000).toBe(START.getTime() + 14 * DAY_MS);
    now = new Date(START.getTime() + DAY_MS);
    // Another request does not postpone the deletion.
    expect((await admin().deleteOrganization({ organizationId })).deleteAt).toEqual(deleteAt);
    await admin().cancelDeletion({ organizationId });
    expect(await actions('^organization.deletion')).toEqual([
      'organization.deletion_requested by service:admin',
      'organization.deletion_cancelled by service:admin',
    ]);
    const unknown = { organizationId: '01920000-0000-7000-8000-000000000000' };
    await expect(admin().deleteOrganization(unknown)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(admin().cancelDeletion({ organizationId: 'nonsense' })).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('deletion of users', () => {
  const request = (browser: Browser, current = '') => browser.post('/account/delete', { current });

  test('a user who requests deletion of the account is signed out everywhere, and is deleted after 14 days', async () => {
    const email = await addMember('member');
    const [browser, other] = [await signIn(email), await signIn(email)];
    expect(await request(browser)).toMatchObject({ status: 200, text: expect.stringContaining('will be deleted') });
    expect((await other.visit('/account')).location).toMatch(/^\/sign-in/);
    await eventually(() => expect(mailsTo(email)).toContainEqual(expect.stringContaining('deleted on 2026-12-07')));
    now = new Date(START.getTime() + 14 * DAY_MS - 1);
    await deleteDue();
    expect(await query('select id from app_user where email = $1', email)).toHaveLength(1);
    now = new Date(START.getTime() + 14 * DAY_MS);
    await deleteDue();
    expect(await query('select id from app_user where email = $1', email)).toEqual([]);
    expect(await actions('^user.del')).toEqual([`user.deletion_requested by ${email}`, `user.deleted by ${email}`]);
    const { members } = await admin().listMembers({ organizationId });
    expect(members.map((member) => member.email)).toEqual([jane]);
  });

  test('a user can sign in again and cancel the deletion', async () => {
    const email = await addMember('member');
    await request(await signIn(email));
    const browser = await signIn(email);
    expect((await browser.visit('/account')).text).toContain('Cancel the deletion');
    expect((await browser.post('/account/cancel-deletion')).location).toBe('/account?done=kept');
    now = new Date(START.getTime() + 30 * DAY_MS);
    await deleteDue();
    expect(await query('select id from app_user where email = $1', email)).toHaveLength(1);
  });

  test("a user who is the last owner of an organization can't be deleted until another member is an owner", async () => {
    const browser = await signIn(jane);
    const text = expect.stringContaining('You are the last owner of Acme.');
    expect(await request(browser)).toMatchObject({ status: 422, text });
    const second = await addMember('owner');
    expect((await request(browser)).status).toBe(200);
    // The first owner leaves, so the second owner is now the last one.
    const other = await signIn(second);
    expect(await request(other)).toMatchObject({ status: 422, text });
    const [member] = await query('select id from app_user where email = $1', second);
    const leave = await other.post(`/account/organizations/${organizationId}/members/${member?.id}/remove`);
    expect(leave).toMatchObject({ status: 422, text: expect.stringContaining('needs an owner') });
  });

  test('the last owner of a stopped organization is not deleted until the organization is deleted', async () => {
    const browser = await signIn(jane);
    await browser.post(`${settings}/delete`, { name: 'Acme' });
    await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
    expect((await request(browser)).status).toBe(200);
    now = new Date(START.getTime() + 14 * DAY_MS);
    const deps = { database, now: () => now };
    while ((await deleteDueUser(deps)) === 'again');
    expect(await query('select id from app_user where email = $1', jane)).toHaveLength(1);
    await deleteDue();
    now = new Date(START.getTime() + 15 * DAY_MS);
    await deleteDue();
    expect(await query('select id from app_user where email = $1', jane)).toEqual([]);
    expect(await query('select id from organization where id = $1', organizationId)).toEqual([]);
  });

  test('the API keys of a deleted user remain valid, and act on behalf of another owner', async () => {
    const second = await addMember('owner');
    const { key } = await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
    expect((await exchange(key)).credential?.actorEmail).toBe(jane);
    await request(await signIn(jane));
    now = new Date(START.getTime() + 14 * DAY_MS);
    await deleteDue();
    expect((await exchange(key)).credential?.actorEmail).toBe(second);
  });
});

test('the notifier gets an empty list of owners while the deletion of an organization is pending', async () => {
  const notifier = clientsOf(identity, 'notifier').identity;
  const owners = async () => (await notifier.listOwners({}, forOrganization(organizationId))).owners.length;
  expect(await owners()).toBe(1);
  await admin().deleteOrganization({ organizationId });
  expect(await owners()).toBe(0);
  await admin().cancelDeletion({ organizationId });
  expect(await owners()).toBe(1);
});
