import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { IdentityService } from '../gen/tocsin/identity/v1/identity_pb.ts';
import { MonitorService } from '../gen/tocsin/monitor/v1/monitor_pb.ts';
import { serviceCredential } from './service-credential.ts';

const LIFETIME_MS = 300_000;
const request = { secret: 'the secret', audience: 'monitor', organizationId: 'acme' };

/** Starts an identity service in memory, and a monitor service that accepts only tokens that have not expired. */
function start() {
  let time = Date.parse('2026-11-20T10:00:00Z');
  const requests: unknown[] = [];
  const used: string[] = [];
  const endOf = new Map<string, number>();
  let failure: ConnectError | undefined;
  const identity = createRouterTransport(({ rpc }) => {
    rpc(IdentityService.method.exchangeServiceCredential, async ({ secret, audience, organizationId }) => {
      requests.push({ secret, audience, organizationId });
      await Promise.resolve();
      if (failure) throw failure;
      const token = `token ${requests.length}`;
      endOf.set(token, time + LIFETIME_MS);
      return { token, expiresAt: timestampFromDate(new Date(time + LIFETIME_MS)) };
    });
  });
  const interceptor = serviceCredential({ ...request, identity, now: () => new Date(time) });
  const monitor = createRouterTransport(
    ({ rpc }) => {
      rpc(MonitorService.method.listMonitors, (_, { requestHeader }) => {
        const token = requestHeader.get('authorization')?.replace(/^Bearer /, '') ?? '';
        used.push(token);
        if ((endOf.get(token) ?? 0) <= time) throw new ConnectError('expired', Code.Unauthenticated);
        return {};
      });
      rpc(MonitorService.method.getMonitor, () => {
        throw new ConnectError('monitor not found', Code.NotFound);
      });
    },
    { transport: { interceptors: [interceptor] } },
  );
  return {
    requests,
    used,
    client: createClient(MonitorService, monitor),
    pass: (ms: number) => {
      time += ms;
    },
    /** Makes identity respond with an error; undefined makes it work again. */
    fail: (error: ConnectError | undefined) => {
      failure = error;
    },
    /** Makes the monitor service refuse all tokens that were issued so far. */
    revokeTokens: () => endOf.clear(),
  };
}

test('concurrent calls share one exchange, and later calls use its token', async () => {
  const { client, requests, used } = start();
  await Promise.all([client.listMonitors({}), client.listMonitors({}), client.listMonitors({})]);
  await client.listMonitors({});
  expect(requests).toEqual([request]);
  expect(used).toEqual(Array(4).fill('token 1'));
});

test('a token is renewed when a fifth of its lifetime remains, and not before', async () => {
  const { client, used, pass } = start();
  await client.listMonitors({});
  pass(LIFETIME_MS * 0.8 - 1);
  await client.listMonitors({});
  pass(1);
  await client.listMonitors({});
  pass(LIFETIME_MS);
  await client.listMonitors({});
  expect(used).toEqual(['token 1', 'token 1', 'token 2', 'token 3']);
});

test('while identity is unavailable, calls use the current token until it expires', async () => {
  const { client, used, pass, fail } = start();
  await client.listMonitors({});
  fail(new ConnectError('no connection', Code.Unavailable));
  pass(LIFETIME_MS - 1);
  await client.listMonitors({});
  pass(1);
  await expect(client.listMonitors({})).rejects.toMatchObject({ code: Code.Unavailable });
  fail(undefined);
  await client.listMonitors({});
  expect(used).toEqual(['token 1', 'token 1', 'token 4']);
});

test('a call that is refused as unauthenticated is repeated once with a new token', async () => {
  const { client, requests, used, revokeTokens } = start();
  await client.listMonitors({});
  revokeTokens();
  await client.listMonitors({});
  expect(used).toEqual(['token 1', 'token 1', 'token 2']);
  expect(requests).toHaveLength(2);
});

test('a call with a revoked credential fails with the error from the exchange', async () => {
  const { client, used, revokeTokens, fail } = start();
  await client.listMonitors({});
  revokeTokens();
  fail(new ConnectError('the service credential is revoked', Code.Unauthenticated));
  await expect(client.listMonitors({})).rejects.toMatchObject({
    code: Code.Unauthenticated,
    rawMessage: 'the service credential is revoked',
  });
  expect(used).toEqual(['token 1', 'token 1']);
});

test('a call that fails with another error is not repeated, and its error is thrown', async () => {
  const { client, requests } = start();
  await expect(client.getMonitor({ id: 'x' })).rejects.toMatchObject({ code: Code.NotFound });
  expect(requests).toHaveLength(1);
});
