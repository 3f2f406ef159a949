import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { createRemoteTokenVerifier, createTokenVerifier } from '@tocsin/runtime';
import { testIdentity } from '@tocsin/testing';
import { generateVaultKey } from '@tocsin/vault';
import { decodeProtectedHeader } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, SECRETS, urlOf } from './start-identity.ts';

const fixture = await identityFixture();
// Start two replicas on an empty database at the same time.
const [first, second] = await Promise.all([fixture.start(), fixture.start()]);
afterAll(() => fixture[Symbol.asyncDispose]());

const anonymous = clientsOf(first).identity;

async function keyIds(identity: typeof first): Promise<string[]> {
  const { jwksJson } = await clientsOf(identity).identity.listSigningKeys({});
  return JSON.parse(jwksJson).keys.map(({ kid }: { kid: string }) => kid);
}

test('a service exchanges its secret for a token of five minutes', async () => {
  const { token, expiresAt } = await anonymous.issueServiceToken({
    service: 'monitor',
    secret: SECRETS.monitor,
    audience: 'monitor',
  });
  const lifetime = expiresAt ? timestampDate(expiresAt).getTime() - Date.now() : 0;
  expect(lifetime).toBeGreaterThan(297_000);
  expect(lifetime).toBeLessThanOrEqual(300_000);
  const caller = await createRemoteTokenVerifier(urlOf(first)).verify(token, 'monitor');
  expect(caller).toEqual({ kind: 'service', service: 'monitor', organizationId: undefined });
});

test('a service can act only for an existing organization', async () => {
  const { organization } = await clientsOf(first, 'admin').admin.createOrganization({
    name: 'Acme',
    ownerEmail: 'jane@example.com',
  });
  const organizationId = organization?.id ?? '';
  const request = { service: 'monitor', secret: SECRETS.monitor, audience: 'monitor' };
  const { token } = await anonymous.issueServiceToken({ ...request, organizationId });
  expect(await createRemoteTokenVerifier(urlOf(first)).verify(token, 'monitor')).toMatchObject({ organizationId });
  for (const unknown of ['01920000-0000-7000-8000-000000000000', 'nonsense']) {
    await expect(anonymous.issueServiceToken({ ...request, organizationId: unknown })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'organization not found',
    });
  }
});

test.each([
  ['a wrong secret', { service: 'monitor', secret: SECRETS.gateway, audience: 'monitor' }],
  ['no secret', { service: 'monitor', secret: '', audience: 'monitor' }],
  ['an unknown service', { service: 'nobody', secret: SECRETS.monitor, audience: 'monitor' }],
])('a request with %s is refused', async (_, request) => {
  await expect(anonymous.issueServiceToken(request)).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('gRPC returns UNAUTHENTICATED for a missing or wrongly signed token, and PERMISSION_DENIED for the token of another service', async () => {
  const transport = createGrpcTransport({ baseUrl: urlOf(first) });
  const admin = createClient(AdminService, transport);
  const identity = createClient(IdentityService, transport);
  const organization = { name: 'Acme', ownerEmail: 'jane@example.com' };
  const codeOf = async (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: unknown) => ConnectError.from(error).code,
    );
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  expect(await codeOf(admin.createOrganization(organization))).toBe(Code.Unauthenticated);
  expect(await codeOf(identity.exchangeCredential({ secret: 'x' }))).toBe(Code.Unauthenticated);

  const stranger = await (await testIdentity()).serviceToken('admin');
  expect(await codeOf(admin.createOrganization(organization, as(stranger)))).toBe(Code.Unauthenticated);

  const { token } = await anonymous.issueServiceToken({
    service: 'monitor',
    secret: SECRETS.monitor,
    audience: 'identity',
  });
  expect(await codeOf(admin.createOrganization(organization, as(token)))).toBe(Code.PermissionDenied);
  expect(await codeOf(identity.exchangeCredential({ secret: 'x' }, as(token)))).toBe(Code.PermissionDenied);
});

test("replicas that start together use the same key and trust each other's tokens", async () => {
  expect(await keyIds(first)).toHaveLength(1);
  expect(await keyIds(second)).toEqual(await keyIds(first));
  const request = { service: 'admin', secret: SECRETS.admin, audience: 'identity' };
  const { token } = await clientsOf(second).identity.issueServiceToken(request);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', kid: (await keyIds(first))[0] });
  const { organization } = await clientsOf(first).admin.createOrganization(
    { name: 'Trusted', ownerEmail: 'joe@example.com' },
    { headers: { authorization: `Bearer ${token}` } },
  );
  expect(organization?.name).toBe('Trusted');
});

test('published keys do not contain private parts', async () => {
  const { jwksJson } = await anonymous.listSigningKeys({});
  for (const key of JSON.parse(jwksJson).keys) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  }
});

test('when identity starts with a new vault key, it encrypts the signing key again, so that the old vault key can be removed', async () => {
  const ids = await keyIds(first);
  const newKey = generateVaultKey('k2');
  await fixture.start({ vaultKeys: `${newKey},${fixture.vaultKey}` });
  const third = await fixture.start({ vaultKeys: newKey });
  expect(await keyIds(third)).toEqual(ids);
});

test('a token is refused by services for which it is not valid', async () => {
  const request = { service: 'monitor', secret: SECRETS.monitor };
  const { token } = await anonymous.issueServiceToken({ ...request, audience: 'notifier' });
  const verifier = createRemoteTokenVerifier(urlOf(first));
  expect(await verifier.verify(token, 'notifier')).toMatchObject({ service: 'monitor' });
  await expect(verifier.verify(token, 'statuspage')).rejects.toMatchObject({
    kind: 'unauthenticated',
    message: 'the internal token is for another service than statuspage',
  });
  for (const audience of ['', 'not a name']) {
    await expect(anonymous.issueServiceToken({ ...request, audience })).rejects.toMatchObject({ kind: 'invalid' });
  }
});

test('one minute after a rotation, every replica uses the new signing key, and all tokens stay valid', async () => {
  await using installation = await identityFixture();
  let time = new Date('2026-01-01T00:00:00Z');
  const now = () => time;
  const replicas = [await installation.start({ now }), await installation.start({ now })] as const;
  const pass = (ms: number) => {
    time = new Date(time.getTime() + ms);
  };
  const verifier = createTokenVerifier(
    async () => JSON.parse((await clientsOf(replicas[0]).identity.listSigningKeys({})).jwksJson),
    now,
  );
  const request = { service: 'monitor', secret: SECRETS.monitor, audience: 'monitor' };
  const tokens = () =>
    Promise.all(replicas.map(async (replica) => (await clientsOf(replica).identity.issueServiceToken(request)).token));
  const keysOf = (all: string[]) => new Set(all.map((token) => decodeProtectedHeader(token).kid));

  const before = await tokens();
  const [oldKey = ''] = await keyIds(replicas[0]);
  expect(keysOf(before)).toEqual(new Set([oldKey]));
  const { id } = await clientsOf(replicas[0], 'admin').admin.rotateSigningKey({});
  expect(new Set(await keyIds(replicas[1]))).toEqual(new Set([oldKey, id]));
  expect(keysOf(await tokens())).toEqual(new Set([oldKey]));

  pass(60_000);
  const after = await tokens();
  expect(keysOf(after)).toEqual(new Set([id]));
  for (const token of [...before, ...after]) {
    expect(await verifier.verify(token, 'monitor')).toMatchObject({ service: 'monitor' });
  }
});
