import { eventually } from '@tocsin/testing';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';
import { CLI, discover, INSECURE, tokensByCode } from '../oauth.ts';
import { signIn, type Visitor } from '../visitor.ts';

const FIELD_CLIENT = { client_id: 'field-cli', client_name: 'Field CLI' };

let network: Network;
let server: oauth.AuthorizationServer;
let owner: Visitor;
let organization = '';

beforeAll(async () => {
  network = await startNetwork({ TOCSIN_OAUTH_CLIENTS: JSON.stringify([FIELD_CLIENT]) });
  server = await discover(network.baseUrl);
  organization = network.installation.bootstrap.organization.uuid;
  owner = await signIn(network);
});
afterAll(() => network?.[Symbol.asyncDispose]());

const call = (token: string, method: string, path: string, body?: object) =>
  createApi(network.baseUrl, token).send(method, `/api/v1${path}`, body);

async function userAllows(userCode: string, permissions: readonly string[]): Promise<void> {
  const form = new URLSearchParams({ user_code: userCode, decision: 'allow', organization });
  for (const permission of permissions) form.append('scope', permission);
  expect(await owner.post('/oauth/device', form)).toMatchObject({
    status: 200,
    text: expect.stringContaining('Access allowed'),
  });
}

test('a client library exchanges an authorization code for tokens, refreshes them and revokes them', async () => {
  const permissions = ['monitors:read_write'];
  const tokens = await tokensByCode(server, owner, { organization, permissions });
  expect(await call(tokens.access_token, 'GET', '/me')).toMatchObject({
    status: 200,
    body: {
      data: {
        organization: { uuid: organization },
        credential: { kind: 'oauth', name: 'Tocsin command line', permissions },
      },
    },
  });
  const monitor = { name: 'Shop', check_type: 'heartbeat', interval_seconds: 60 };
  expect(await call(tokens.access_token, 'POST', '/monitors', monitor)).toMatchObject({ status: 201 });
  expect(await call(tokens.access_token, 'GET', '/status-pages')).toMatchObject({ status: 403 });

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    CLI,
    await oauth.refreshTokenGrantRequest(server, CLI, oauth.None(), tokens.refresh_token ?? '', INSECURE),
  );
  expect(await call(refreshed.access_token, 'GET', '/monitors')).toMatchObject({ status: 200 });
  const introspected = await oauth.processIntrospectionResponse(
    server,
    CLI,
    await oauth.introspectionRequest(server, CLI, oauth.None(), refreshed.access_token, INSECURE),
  );
  expect(introspected).toMatchObject({ active: true, scope: 'monitors:read_write' });

  const revocation = await oauth.revocationRequest(server, CLI, oauth.None(), refreshed.refresh_token ?? '', INSECURE);
  await oauth.processRevocationResponse(revocation);
  for (const { access_token } of [tokens, refreshed]) {
    await eventually(async () => expect(await call(access_token, 'GET', '/me')).toMatchObject({ status: 401 }));
  }
});

test('a client library gets tokens for a device', async () => {
  const device = await oauth.processDeviceAuthorizationResponse(
    server,
    CLI,
    await oauth.deviceAuthorizationRequest(server, CLI, oauth.None(), { scope: 'incidents:read' }, INSECURE),
  );
  const poll = async () =>
    oauth.processDeviceCodeResponse(
      server,
      CLI,
      await oauth.deviceCodeGrantRequest(server, CLI, oauth.None(), device.device_code, INSECURE),
    );
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
  expect(await owner.get(device.verification_uri_complete ?? '')).toMatchObject({
    status: 200,
    text: expect.stringContaining(device.user_code),
  });
  await userAllows(device.user_code, ['incidents:read']);
  const { access_token } = await poll();
  expect(await call(access_token, 'GET', '/incidents')).toMatchObject({ status: 200 });
  expect(await call(access_token, 'GET', '/monitors')).toMatchObject({ status: 403 });
});

test('a client registers itself and gets tokens', async () => {
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Tool', redirect_uris: ['https://tool.example.com/callback'] },
      INSECURE,
    ),
  );
  const device = await oauth.processDeviceAuthorizationResponse(
    server,
    client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'monitors:read' }, INSECURE),
  );
  expect((await owner.get(device.verification_uri_complete ?? '')).text).toContain('This program registered itself');
});

test('a client from the configuration gets tokens for a device with JSON bodies', async () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(network.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const { client_id } = FIELD_CLIENT;
  const { body: device } = await post('/oauth/device/code', { client_id });
  const request = {
    client_id,
    device_code: device.device_code,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
  };
  expect(await post('/oauth/device/token', request)).toMatchObject({
    status: 400,
    body: { error: 'authorization_pending' },
  });
  await userAllows(device.user_code ?? '', ['monitors:read', 'status_pages:read']);
  const { status, body: tokens } = await post('/oauth/device/token', request);
  expect({ status, tokens }).toMatchObject({ status: 200, tokens: { scope: 'monitors:read status_pages:read' } });
  expect(await call(tokens.access_token ?? '', 'GET', '/me')).toMatchObject({
    status: 200,
    body: { data: { credential: { kind: 'oauth', name: 'Field CLI' } } },
  });
});

test('the protected resource metadata of the API names the authorization server', async () => {
  const resource = new URL(network.baseUrl);
  const response = await oauth.resourceDiscoveryRequest(resource, INSECURE);
  expect(await oauth.processResourceDiscoveryResponse(resource, response)).toMatchObject({
    authorization_servers: [network.baseUrl],
  });
});
