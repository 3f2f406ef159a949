import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Exports } from '../src/app/ports.ts';
import { Browser, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

/** Simulated exports of the other services. Each service returns two pages with one row each. */
const exports: Exports = {
  async listRows(service, organizationId, cursor) {
    const row = { table: 'thing', row: { organization_id: organizationId, page: cursor ?? 'first' } };
    if (service === failing) throw new Error('the connection was lost');
    return { rows: [JSON.stringify(row)], next: cursor === undefined ? 'second' : undefined };
  },
};
let failing: string | undefined;

const fixture = await identityFixture();
const identity = await fixture.start({ exports });
afterAll(() => fixture[Symbol.asyncDispose]());

const { admin } = clientsOf(identity, 'admin');
let tests = 0;
let organizationId: string;
let jane: string;
let path: string;
beforeEach(async () => {
  failing = undefined;
  tests += 1;
  jane = `jane.${tests}@example.com`;
  organizationId = (await admin.createOrganization({ name: 'Acme', ownerEmail: jane })).organization?.id ?? '';
  path = `/account/organizations/${organizationId}/settings/export`;
});

async function signIn(email: string): Promise<Browser> {
  const browser = new Browser(identity, `198.51.100.${tests}`);
  const { url } = await admin.createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

interface Line {
  readonly service: string;
  readonly table: string;
  readonly row: Record<string, unknown>;
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('an owner can download the data that the services store, except secrets', async () => {
  const { id, key } = await admin.createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
  const page = await (await signIn(jane)).post(path);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-disposition')).toBe(`attachment; filename="tocsin-${organizationId}.ndjson"`);
  expect(page.headers.get('content-type')).toContain('application/x-ndjson');
  const [first, ...lines] = linesOf(page.text);
  expect(first).toMatchObject({
    service: 'identity',
    table: 'organization',
    row: { id: organizationId, name: 'Acme', members: [{ email: jane, role: 'owner' }] },
  });
  const of = (service: string) => lines.filter((line) => line.service === service);
  const tables = of('identity').map(({ table }) => table);
  expect(tables).toEqual(expect.arrayContaining(['api_key', 'audit_log', 'membership']));
  expect(of('identity').find(({ table }) => table === 'api_key')?.row).toMatchObject({ id, name: 'deploy' });
  for (const hidden of [key, 'secret_hash']) expect(page.text).not.toContain(hidden);
  for (const service of ['monitor', 'disruption', 'statuspage', 'notifier']) {
    expect(of(service).map(({ row }) => row)).toEqual([
      { organization_id: organizationId, page: 'first' },
      { organization_id: organizationId, page: 'second' },
    ]);
  }
  expect(of('identity').map(({ row }) => row['action'])).toContain('organization.exported');
});

test('the operator gets the same export in pages', async () => {
  let cursor = '';
  const services: string[] = [];
  do {
    const { lines, nextCursor } = await admin.exportOrganization({ organizationId, cursor });
    services.push(...linesOf(lines).map(({ service }) => service));
    cursor = nextCursor;
  } while (cursor !== '');
  expect([...new Set(services)]).toEqual(['identity', 'monitor', 'disruption', 'statuspage', 'notifier']);
  await expect(admin.exportOrganization({ organizationId, cursor: 'checker:' })).rejects.toMatchObject({
    kind: 'invalid',
  });
  await expect(admin.exportOrganization({ organizationId: 'nonsense' })).rejects.toMatchObject({ kind: 'not_found' });
});

test('admins, members and other users get no export', async () => {
  for (const role of ['admin', 'member']) {
    const email = `${role}.${tests}@example.com`;
    await admin.addMember({ organizationId, email, role });
    const browser = await signIn(email);
    expect((await browser.post(path)).status).toBe(403);
    expect((await browser.visit(path.replace('/export', ''))).text).not.toContain('Download');
  }
  await admin.createOrganization({ name: 'Other', ownerEmail: `mallory.${tests}@example.com` });
  expect((await (await signIn(`mallory.${tests}@example.com`)).post(path)).status).toBe(404);
});

test('if an export fails halfway, the connection is closed, so that the file does not look complete', async () => {
  failing = 'notifier';
  await expect((await signIn(jane)).post(path)).rejects.toThrow();
});

test('an organization can be exported at most ten times a day', async () => {
  const owner = await signIn(jane);
  for (let index = 0; index < 10; index += 1) expect((await owner.post(path)).status).toBe(200);
  const refused = await owner.post(path);
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('too many exports') });
});
