import { inspect } from 'node:util';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

const fixture = await identityFixture();
const identity = await fixture.start();
const { admin } = clientsOf(identity, 'admin');
const { identity: gateway } = clientsOf(identity, 'gateway');
afterAll(() => fixture[Symbol.asyncDispose]());

/** An organization, and its keys as the holder of one of them sees them. */
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

test('a key is answered once, works, and is listed without its secret', async () => {
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

test('a key hands out no more than it holds', async () => {
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

test('a key that was revoked is unknown from then on, and can be revoked once', async () => {
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

test("another organization's key is as unknown as one that never existed", async () => {
  const { first } = await holderOf(['api_keys:read_write']);
  const { keys: stranger } = await holderOf(['api_keys:read_write'], 'rival@example.com');
  for (const id of [first.id, '01920000-0000-7000-8000-000000000000', 'nonsense']) {
    await expect(stranger.getApiKey({ id })).rejects.toMatchObject({ kind: 'not_found', message: 'API key not found' });
    await expect(stranger.revokeApiKey({ id })).rejects.toMatchObject({ kind: 'not_found' });
  }
  expect((await stranger.listApiKeys({})).apiKeys.map(({ id }) => id)).not.toContain(first.id);
  await expect(gateway.exchangeCredential({ secret: first.key, audiences: ['identity'] })).resolves.toBeDefined();
});

test('keys come in pages', async () => {
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
