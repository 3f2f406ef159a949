import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { createRpcClient, createTransport, forOrganization, withIdempotencyId } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

const fixture = await identityFixture();
const identity = await fixture.start();
const { admin } = clientsOf(identity, 'admin');
const { identity: gateway } = clientsOf(identity, 'gateway');
afterAll(() => fixture[Symbol.asyncDispose]());

/** Creates an organization with a key, and returns a client that uses this key. */
async function holderOf(permissions: string[], ownerEmail = 'jane@example.com') {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail });
  const first = await admin.createApiKey({ organizationId: organization?.id ?? '', name: 'first', permissions });
  const { tokens } = await gateway.exchangeCredential({ secret: first.key, audiences: ['identity'] });
  const keys = createRpcClient(
    ApiKeyService,
    createTransport({
      url: urlOf(identity),
      service: 'identity',
      tokens: { token: async () => tokens.identity ?? '' },
    }),
  );
  return { keys, first };
}

test('a key is returned once, authenticates its holder, and is listed without its secret', async () => {
  const { keys, first } = await holderOf(['api_keys:read_write', 'monitors:read_write']);
  const { apiKey, key } = await keys.issueApiKey({ name: 'deploy', permissions: ['monitors:read'] });
  expect(key).toMatch(/^tocsin_[0-9A-Za-z]{49}$/);
  const { credential } = await gateway.exchangeCredential({ secret: key, audiences: ['identity'] });
  expect(credential).toMatchObject({ name: 'deploy', permissions: ['monitors:read'], actorEmail: 'jane@example.com' });
  const { apiKeys } = await keys.listApiKeys({});
  expect(apiKeys.map(({ id, name }) => [id, name])).toEqual([
    [apiKey?.id, 'deploy'],
    [first.id, 'first'],
  ]);
  expect(inspect(await keys.getApiKey({ id: apiKey?.id ?? '' }), { depth: 9 })).not.toContain(key);
  expect((await keys.getApiKey({ id: apiKey?.id ?? '' })).apiKey?.lastUsedAt).toBeDefined();
});

test('a key cannot grant permissions that it does not have', async () => {
  const { keys } = await holderOf(['api_keys:read_write', 'monitors:read']);
  const wanted = { name: 'more', permissions: ['monitors:read', 'monitors:read_write', 'status_pages:read'] };
  await expect(keys.issueApiKey(wanted)).rejects.toMatchObject({
    fields: {
      permissions: [
        'monitors:read_write is more than this credential holds itself',
        'status_pages:read is more than this credential holds itself',
      ],
    },
  });
  expect((await keys.listApiKeys({})).apiKeys).toHaveLength(1);
});

test('a revoked key is not found and cannot be revoked again', async () => {
  const { keys } = await holderOf(['api_keys:read_write']);
  const { apiKey, key } = await keys.issueApiKey({ name: 'old', permissions: ['api_keys:read'] });
  const id = apiKey?.id ?? '';
  await keys.revokeApiKey({ id });
  await expect(gateway.exchangeCredential({ secret: key, audiences: ['identity'] })).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
  await expect(keys.getApiKey({ id })).rejects.toMatchObject({ kind: 'not_found', message: 'API key not found' });
  await expect(keys.revokeApiKey({ id })).rejects.toMatchObject({ kind: 'not_found' });
  expect((await keys.listApiKeys({})).apiKeys.map(({ name }) => name)).toEqual(['first']);
});

test('a key of another organization is not found', async () => {
  const { first } = await holderOf(['api_keys:read_write']);
  const { keys: stranger } = await holderOf(['api_keys:read_write'], 'rival@example.com');
  for (const id of [first.id, '01920000-0000-7000-8000-000000000000', 'nonsense']) {
    await expect(stranger.getApiKey({ id })).rejects.toMatchObject({ kind: 'not_found', message: 'API key not found' });
    await expect(stranger.revokeApiKey({ id })).rejects.toMatchObject({ kind: 'not_found' });
  }
  expect((await stranger.listApiKeys({})).apiKeys.map(({ id }) => id)).not.toContain(first.id);
  await expect(gateway.exchangeCredential({ secret: first.key, audiences: ['identity'] })).resolves.toBeDefined();
});

test('keys are listed in pages', async () => {
  const { keys } = await holderOf(['api_keys:read_write']);
  for (const name of ['a', 'b', 'c']) await keys.issueApiKey({ name, permissions: ['api_keys:read'] });
  const one = await keys.listApiKeys({ limit: 2 });
  const two = await keys.listApiKeys({ limit: 2, cursor: one.nextCursor });
  expect([one, two].map(({ apiKeys }) => apiKeys.map(({ name }) => name))).toEqual([
    ['c', 'b'],
    ['a', 'first'],
  ]);
  expect(two.nextCursor).toBe('');
});

async function holding(secret: string) {
  const { tokens } = await gateway.exchangeCredential({ secret, audiences: ['identity'] });
  const source = { token: async () => tokens.identity ?? '' };
  return createRpcClient(ApiKeyService, createTransport({ url: urlOf(identity), service: 'identity', tokens: source }));
}

const works = (secret: string) =>
  gateway.exchangeCredential({ secret, audiences: ['identity'] }).then(
    () => true,
    () => false,
  );

test('the response for a key names its creator and, if another key created it, the id of that key', async () => {
  const { keys, first } = await holderOf(['api_keys:read_write']);
  const { apiKey } = await keys.issueApiKey({ name: 'child', permissions: ['api_keys:read'] });
  expect(apiKey).toMatchObject({ createdBy: 'jane@example.com', createdByKeyId: first.id });
  expect((await keys.getApiKey({ id: first.id })).apiKey).toMatchObject({
    createdBy: 'service:admin',
    createdByKeyId: '',
  });
});

test('a key expires no later than the key that created it', async () => {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  const end = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
  const { key } = await admin.createApiKey({
    organizationId: organization?.id ?? '',
    name: 'short',
    permissions: ['api_keys:read_write'],
    expiresAt: timestampFromDate(end),
  });
  const keys = await holding(key);
  const child = { name: 'child', permissions: ['api_keys:read'] };
  const { apiKey } = await keys.issueApiKey(child);
  expect(apiKey?.expiresAt && timestampDate(apiKey.expiresAt)).toEqual(end);
  const sooner = new Date(end.getTime() - 1_000);
  const { apiKey: shorter } = await keys.issueApiKey({ ...child, expiresAt: timestampFromDate(sooner) });
  expect(shorter?.expiresAt && timestampDate(shorter.expiresAt)).toEqual(sooner);
  const later = timestampFromDate(new Date(end.getTime() + 1));
  await expect(keys.issueApiKey({ ...child, expiresAt: later })).rejects.toMatchObject({
    kind: 'invalid',
    fields: { expires_at: [expect.stringContaining('when the key that creates it expires')] },
  });
});

test('revoking a key also revokes the keys that it created directly or indirectly, and no other keys', async () => {
  const all = ['api_keys:read_write'];
  const { keys, first } = await holderOf(all);
  const child = await keys.issueApiKey({ name: 'child', permissions: all });
  const sibling = await keys.issueApiKey({ name: 'sibling', permissions: all });
  const grandchild = await (await holding(child.key)).issueApiKey({ name: 'grandchild', permissions: all });
  await keys.revokeApiKey({ id: child.apiKey?.id ?? '' });
  expect(await Promise.all([child, grandchild].map(({ key }) => works(key)))).toEqual([false, false]);
  expect(await Promise.all([sibling.key, first.key].map(works))).toEqual([true, true]);
});

test('after a key is revoked, a token that is still valid cannot create keys', async () => {
  const { keys, first } = await holderOf(['api_keys:read_write']);
  await keys.revokeApiKey({ id: first.id });
  await expect(keys.issueApiKey({ name: 'late', permissions: ['api_keys:read'] })).rejects.toMatchObject({
    kind: 'forbidden',
  });
});

test('if a key is revoked while it creates another key, the creation fails or the new key is revoked too', async () => {
  const { keys, first } = await holderOf(['api_keys:read_write']);
  const creations = Array.from({ length: 8 }, (_, index) =>
    keys.issueApiKey({ name: `key ${index}`, permissions: ['api_keys:read'] }).catch(() => undefined),
  );
  await keys.revokeApiKey({ id: first.id });
  const created = (await Promise.all(creations)).flatMap((response) => (response ? [response.key] : []));
  expect(await Promise.all(created.map(works))).toEqual(created.map(() => false));
});

test('concurrent requests cannot create more keys than the limit, and revoked keys are not counted', async () => {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  const organizationId = organization?.id ?? '';
  await admin.setLimit({ organizationId, name: 'api_keys', value: 3n });
  const { key } = await admin.createApiKey({ organizationId, name: 'first', permissions: ['api_keys:read_write'] });
  const keys = await holding(key);
  const attempts = await Promise.allSettled(
    Array.from({ length: 6 }, () => keys.issueApiKey({ name: 'more', permissions: ['api_keys:read'] })),
  );
  const created = attempts.flatMap((attempt) =>
    attempt.status === 'fulfilled' ? [attempt.value.apiKey?.id ?? ''] : [],
  );
  expect(created).toHaveLength(2);
  const full = {
    kind: 'invalid',
    fields: { api_keys: ['are limited to 3 for this organization, which has 3'] },
  };
  await expect(keys.issueApiKey({ name: 'more', permissions: ['api_keys:read'] })).rejects.toMatchObject(full);
  const { usage } = clientsOf(identity, 'gateway');
  expect((await usage.getUsage({}, forOrganization(organizationId))).used).toEqual({ api_keys: 3n });
  await keys.revokeApiKey({ id: created[0] ?? '' });
  await keys.issueApiKey({ name: 'more', permissions: ['api_keys:read'] });
});

test('a repeated creation creates one key, and says that its text can not be shown again', async () => {
  const { keys } = await holderOf(['api_keys:read_write']);
  const repeated = withIdempotencyId(randomUUID(), {});
  const create = () => keys.issueApiKey({ name: 'deploy', permissions: ['api_keys:read'] }, repeated);
  const outcomes = await Promise.allSettled([create(), create(), create()]);
  const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.apiKey?.id ?? ''] : []));
  expect(ids).toHaveLength(1);
  expect((await keys.listApiKeys({})).apiKeys.map(({ name }) => name)).toEqual(['deploy', 'first']);
  const [id = ''] = ids;
  const message =
    `this request was executed before: it created the API key ${id}, whose text can't be shown again; ` +
    'revoke that key, and create another one with a new idempotency key';
  await expect(create()).rejects.toMatchObject({ kind: 'conflict', message });
  await keys.revokeApiKey({ id });
  await expect(create()).rejects.toMatchObject({ kind: 'conflict', message: expect.stringContaining('deleted since') });
  expect((await keys.listApiKeys({})).apiKeys).toHaveLength(1);
});
