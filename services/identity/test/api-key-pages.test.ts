import { afterAll, beforeEach, expect, test } from 'vitest';
import { Browser, type Page, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const DAY_MS = 24 * 3_600_000;

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now, defaultLimits: { api_keys: 3 } });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

const admin = () => clientsOf(identity, 'admin').admin;
const exchange = (secret: string) =>
  clientsOf(identity, 'gateway').identity.exchangeCredential({ secret, audiences: ['monitor'] });

let organizationId: string;
let path: string;
let jane: string;
let tests = 0;
beforeEach(async () => {
  now = START;
  tests += 1;
  jane = `jane.${tests}@example.com`;
  organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail: jane })).organization?.id ?? '';
  path = `/account/organizations/${organizationId}/api-keys`;
});

async function signIn(email: string): Promise<Browser> {
  const browser = new Browser(identity, `198.51.100.${tests}`);
  const { url } = await admin().createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

const keyIn = (page: Page) => /<code class="secret">(tocsin_\w{49})<\/code>/.exec(page.text)?.[1] ?? '';

const audit = async () => {
  const sql = `select action, actor, address, credential_id is not null as "hasCredential" from audit_log
               where organization_id = $1 and action like 'api_key%' order by id`;
  return tables.transaction({ organizationId }, (tx) => tx.query(sql, [organizationId]));
};

test.each(['owner', 'admin'])('an %s creates a key, which is shown once, and revokes it', async (role) => {
  const email = role === 'owner' ? jane : `kim.${tests}@example.com`;
  if (role === 'admin') await admin().addMember({ organizationId, email, role });
  const browser = await signIn(email);
  expect((await browser.visit(path)).text).toContain('There are no keys.');
  const created = await browser.post(path, { name: 'deploy <b>', permission: 'monitors:read_write', lifetime: '' });
  expect(created).toMatchObject({ status: 200, text: expect.stringContaining('deploy &lt;b&gt;') });
  const key = keyIn(created);
  expect((await exchange(key)).credential).toMatchObject({ permissions: ['monitors:read_write'], actorEmail: email });
  const list = await browser.visit(path);
  expect(list.text).toContain('deploy &lt;b&gt;');
  expect(list.text).toContain(email);
  expect(list.text).not.toContain(key);
  const [, revoke = ''] = /action="([^"]+\/revoke)"/.exec(list.text) ?? [];
  expect(await browser.post(revoke)).toMatchObject({ status: 303, location: `${path}?revoked` });
  await expect(exchange(key)).rejects.toMatchObject({ kind: 'unauthenticated' });
  const by = { actor: email, address: browser.address, hasCredential: true };
  expect(await audit()).toEqual([
    { action: 'api_key.created', ...by },
    { action: 'api_key.revoked', ...by },
  ]);
});

test('a key expires after the chosen time', async () => {
  const browser = await signIn(jane);
  const key = keyIn(await browser.post(path, { name: 'x', permission: 'incidents:read', lifetime: '30' }));
  now = new Date(START.getTime() + 30 * DAY_MS - 1);
  expect((await exchange(key)).credential?.name).toBe('x');
  now = new Date(START.getTime() + 30 * DAY_MS);
  await expect(exchange(key)).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test.each([
  [{ name: '', permission: 'monitors:read', lifetime: '' }, 'name is required'],
  [{ name: 'x'.repeat(256), permission: 'monitors:read', lifetime: '' }, 'name must be at most 255 characters'],
  [{ name: 'x', permission: '', lifetime: '' }, 'Choose what the key may do'],
  [{ name: 'x', permission: 'monitors:all', lifetime: '' }, 'is not a permission'],
  [{ name: 'x', permission: 'monitors:read', lifetime: '7' }, 'Choose a time from the list'],
])('the form %j is refused with the message "%s"', async (form, problem) => {
  const browser = await signIn(jane);
  expect(await browser.post(path, form)).toMatchObject({ status: 422, text: expect.stringContaining(problem) });
  expect(await audit()).toEqual([]);
});

test('a form that is refused is shown again with what the user entered', async () => {
  const browser = await signIn(jane);
  const form = { name: 'x'.repeat(256), permission: 'incidents:read', lifetime: '90' };
  const { text } = await browser.post(path, form);
  expect(text).toContain(`value="${form.name}"`);
  expect(text).toMatch(/<option value="incidents:read" selected>/);
  expect(text).toMatch(/<option value="90" selected>/);
  expect(text.match(/ selected>/g)).toHaveLength(2);
});

test('keys can be created up to the limit of the organization', async () => {
  const browser = await signIn(jane);
  const form = { name: 'x', permission: 'monitors:read', lifetime: '' };
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await browser.post(path, form)).status);
  expect(statuses).toEqual([200, 200, 200, 422]);
});

test('a member can not see, create or revoke keys', async () => {
  const kim = `kim.${tests}@example.com`;
  await admin().addMember({ organizationId, email: kim, role: 'member' });
  const { id } = await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
  const browser = await signIn(kim);
  const pages = [
    await browser.visit(path),
    await browser.post(path, { name: 'x', permission: 'monitors:read', lifetime: '' }),
    await browser.post(`${path}/${id}/revoke`),
  ];
  for (const page of pages) {
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining('Only owners and admins') });
    expect(page.text).not.toContain('deploy');
  }
  expect((await browser.visit(`/account/organizations/${organizationId}/members`)).text).not.toContain(path);
});

test('a user of another organization can not see or revoke keys', async () => {
  const lee = `lee.${tests}@example.com`;
  const other = (await admin().createOrganization({ name: 'Other', ownerEmail: lee })).organization?.id ?? '';
  const { id, key } = await admin().createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
  const stranger = await signIn(lee);
  expect((await stranger.visit(path)).status).toBe(404);
  expect((await stranger.post(`${path}/${id}/revoke`)).status).toBe(404);
  expect((await stranger.post(`/account/organizations/${other}/api-keys/${id}/revoke`)).status).toBe(404);
  expect((await exchange(key)).credential?.name).toBe('deploy');
});
