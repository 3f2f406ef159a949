import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AuditService } from '@tocsin/proto/identity/v1/audit';
import { createRpcClient, createTransport, withToken } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
afterAll(() => fixture[Symbol.asyncDispose]());

const admin = () => clientsOf(identity, 'admin').admin;
const audit = createRpcClient(AuditService, createTransport({ url: urlOf(identity), service: 'identity' }));

/**
 * Creates an organization and sets a limit three times, one second apart. Returns a function that reads the
 * organization's audit log.
 */
async function organizationWithEntries(ownerEmail: string) {
  now = START;
  const organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail })).organization?.id ?? '';
  for (let second = 1; second <= 3; second += 1) {
    now = new Date(START.getTime() + second * 1_000);
    await admin().setLimit({ organizationId, name: 'monitors', value: BigInt(second) });
  }
  const secondsOf = (entries: readonly { detailsJson: string }[]) =>
    entries.map(({ detailsJson }) => JSON.parse(detailsJson).value ?? 0);
  return async (request: Parameters<typeof audit.listAuditEntries>[0] = {}) => {
    const permissions = ['audit_log:read'];
    const { token } = await admin().createToken({ organizationId, audience: 'identity', permissions });
    const { entries, nextCursor } = await audit.listAuditEntries(request, withToken(token));
    const without = entries.filter(({ action }) => action !== 'token.created');
    return { seconds: secondsOf(without), entries: without, nextCursor };
  };
}

const at = (ms: number) => timestampFromDate(new Date(START.getTime() + ms));

test('the filter `since` includes an entry of exactly that time, and the filter `until` excludes it', async () => {
  const list = await organizationWithEntries('jane@example.com');
  expect((await list()).seconds).toEqual([3, 2, 1, 0]);
  expect((await list({ since: at(2_000) })).seconds).toEqual([3, 2]);
  expect((await list({ since: at(2_001) })).seconds).toEqual([3]);
  expect((await list({ until: at(2_000) })).seconds).toEqual([1, 0]);
  expect((await list({ until: at(2_001) })).seconds).toEqual([2, 1, 0]);
});

test('filters and pages of the audit log can be combined', async () => {
  const list = await organizationWithEntries('kim@example.com');
  const filter = { action: 'limit.set', actor: 'SERVICE:ADMIN', until: at(3_000) };
  const first = await list({ ...filter, limit: 1 });
  expect(first.seconds).toEqual([2]);
  const second = await list({ ...filter, limit: 1, cursor: first.nextCursor });
  expect(second.seconds).toEqual([1]);
  expect(second.nextCursor).toBe('');
  expect((await list({ ...filter, actor: 'jane@example.com' })).seconds).toEqual([]);
  await expect(list({ cursor: 'x' })).rejects.toMatchObject({ fields: { cursor: [expect.any(String)] } });
});

test('a credential without the permission for the audit log is refused', async () => {
  const organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail: 'lee@example.com' }))
    .organization?.id;
  const permissions = ['api_keys:read_write', 'monitors:read_write'];
  const { token } = await admin().createToken({
    organizationId: organizationId ?? '',
    audience: 'identity',
    permissions,
  });
  await expect(audit.listAuditEntries({}, withToken(token))).rejects.toMatchObject({
    kind: 'forbidden',
    message: 'this credential lacks the permission audit_log:read',
  });
});
