import { fromBinary } from '@bufbuild/protobuf';
import { connect } from '@nats-io/transport-node';
import { eventSubject } from '@tocsin/outbox';
import { CredentialRevokedSchema } from '@tocsin/proto/identity/v1/events';
import { natsOptions } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { oauthFixture } from './oauth-fixture.ts';
import { clientsOf } from './start-identity.ts';

const oauth = await oauthFixture();
const { organizationId } = oauth;
const nats = await connect(natsOptions(oauth.fixture.natsUrl));
/** Ids of the credentials in the published revocation events. Gateways drop the cached tokens of these credentials. */
const dropped: string[] = [];
nats.subscribe(eventSubject(CredentialRevokedSchema.typeName), {
  callback: (_, message) => void dropped.push(fromBinary(CredentialRevokedSchema, message.data).credentialId),
});
await nats.flush();
afterAll(async () => {
  await nats.close();
  await oauth[Symbol.asyncDispose]();
});

const { admin } = clientsOf(oauth.identity, 'admin');
const gateway = clientsOf(oauth.identity, 'gateway').identity;
const exchange = (secret: string) => gateway.exchangeCredential({ secret, audiences: ['monitor'] });
const members = `/account/organizations/${organizationId}/members`;

/** Adds a member with an access token that has these permissions. */
async function memberWithToken(email: string, role: string, scopes: readonly string[]) {
  const { member } = await admin.addMember({ organizationId, email, role });
  const browser = await oauth.signIn(email);
  const tokens = await oauth.tokensOf(browser, organizationId, scopes);
  return { id: member?.userId ?? '', browser, ...tokens };
}

test('the access tokens of a member are revoked when the member is removed', async () => {
  const kim = await memberWithToken('kim@example.com', 'member', ['monitors:read']);
  const { credential } = await exchange(kim.access_token);
  expect((await oauth.jane.post(`${members}/${kim.id}/remove`)).status).toBe(303);
  await expect(exchange(kim.access_token)).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect(await oauth.refresh(kim.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  await eventually(() => expect(dropped).toContain(credential?.id));
});

test('when a member gets a lower role, the access tokens of the member immediately lose the permissions that the role lacks', async () => {
  const scopes = ['api_keys:read', 'monitors:read'];
  const lee = await memberWithToken('lee@example.com', 'admin', scopes);
  const { credential } = await exchange(lee.access_token);
  expect(credential?.permissions).toEqual(scopes);
  expect((await oauth.jane.post(`${members}/${lee.id}/role`, { role: 'member' })).status).toBe(303);
  expect((await exchange(lee.access_token)).credential?.permissions).toEqual(['monitors:read']);
  await eventually(() => expect(dropped).toContain(credential?.id));
  expect((await oauth.refresh(lee.refresh_token)).status).toBe(200);
});

test('an API key belongs to the organization, and works after the member who created it was removed', async () => {
  const kim = await memberWithToken('max@example.com', 'admin', ['api_keys:read_write', 'monitors:read']);
  const { tokens } = await gateway.exchangeCredential({ secret: kim.access_token, audiences: ['identity'] });
  const { keys } = clientsOf(oauth.identity);
  const authorization = { headers: { authorization: `Bearer ${tokens.identity}` } };
  const { key } = await keys.issueApiKey({ name: 'deploy', permissions: ['monitors:read'] }, authorization);
  expect((await oauth.jane.post(`${members}/${kim.id}/remove`)).status).toBe(303);
  await expect(exchange(kim.access_token)).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect((await exchange(key)).credential?.permissions).toEqual(['monitors:read']);
});
