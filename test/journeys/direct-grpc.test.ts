import { setTimeout } from 'node:timers/promises';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { status } from '@grpc/grpc-js';
import { serviceNames } from '@tocsin/local/service-names';
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '@tocsin/proto/grpc/health/v1/health';
import { ServerReflection } from '@tocsin/proto/grpc/reflection/v1/reflection';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { serviceCredential } from '@tocsin/proto/service-credential';
import { testIdentity } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grpcClient, streaming, unary } from '../../packages/runtime/test/grpc-js.ts';
import { type Network, startNetwork } from '../network.ts';
import { admin } from './admin.ts';

/**
 * Calls the services without the gateway, and with grpc-js, which the product does not use (docs/architecture.md:
 * Trust).
 */

interface Monitor {
  readonly id: string;
  readonly name: string;
  readonly inserted_at: string;
}

const { listMonitors, getMonitor, deleteMonitor } = MonitorService.method;
const { exchangeServiceCredential } = IdentityService.method;

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network?.[Symbol.asyncDispose]());

function connect(service: (typeof serviceNames)[number]) {
  const address = network.installation.bootstrap.grpc[service] ?? '';
  return grpcClient(Number(address.split(':')[1]));
}

/** Returns an organization's token for the monitor service. */
async function createToken(organization: string): Promise<string> {
  const { stdout } = await admin(network.dataDir, 'token', 'create', '--org', organization, '--service', 'monitor');
  return JSON.parse(stdout).token;
}

describe('the monitor service', () => {
  let monitor: Monitor;
  let token: string;
  let tokenOfOthers: string;
  beforeAll(async () => {
    monitor = await network.api.post<Monitor>('/monitors', {
      name: 'Seen from aside',
      check_type: 'http',
      config: { url: 'https://shop.example.com/' },
      enabled: false,
    });
    token = await createToken(network.installation.bootstrap.organization.uuid);
    const made = await admin(network.dataDir, 'org', 'create', '--name', 'Others', '--owner-email', 'o@example.com');
    tokenOfOthers = await createToken(JSON.parse(made.stdout).organization.uuid);
  });

  test("a call returns the monitors of the token's organization", async () => {
    using client = connect('monitor');
    const { monitors } = await unary(client, listMonitors, {}, { token });
    expect(monitors.map(({ id, name }) => ({ id, name }))).toEqual([{ id: monitor.id, name: 'Seen from aside' }]);
    const [{ createdAt } = {}] = monitors;
    expect(createdAt && timestampDate(createdAt).toISOString().slice(0, 19)).toBe(monitor.inserted_at.slice(0, 19));
  });

  test('a call without a token, or with a token that identity did not sign, is rejected', async () => {
    using client = connect('monitor');
    const forged = await (await testIdentity()).serviceToken('admin', network.installation.bootstrap.organization.uuid);
    const [head, claims] = token.split('.');
    const spoilt = [
      undefined,
      'hello',
      forged,
      `${token}x`,
      `${head}.${claims}.`,
      network.installation.bootstrap.api_key,
    ];
    for (const bad of spoilt) {
      const options = bad === undefined ? {} : { token: bad };
      const refused = { code: status.UNAUTHENTICATED };
      await expect(unary(client, listMonitors, {}, options), bad).rejects.toMatchObject(refused);
      await expect(unary(client, getMonitor, { id: monitor.id }, options), bad).rejects.toMatchObject(refused);
    }
  });

  test('a token for another service, and a read-only token for a change, are rejected', async () => {
    using client = connect('monitor');
    const created = async (...args: string[]) => {
      const { uuid } = network.installation.bootstrap.organization;
      return JSON.parse((await admin(network.dataDir, 'token', 'create', '--org', uuid, ...args)).stdout).token;
    };
    const elsewhere = await created('--service', 'notifier');
    const narrow = await created('--service', 'monitor', '--permissions', 'monitors:read,status_pages:read_write');
    const remove = (token: string) => unary(client, deleteMonitor, { id: monitor.id }, { token });
    await expect(remove(elsewhere)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    await expect(remove(narrow)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('this credential lacks the permission'),
    });
    expect((await unary(client, getMonitor, { id: monitor.id }, { token: narrow })).monitor?.id).toBe(monitor.id);
  });

  test('the monitors of another organization are not revealed', async () => {
    using client = connect('monitor');
    expect((await unary(client, listMonitors, {}, { token: tokenOfOthers })).monitors).toEqual([]);
    const get = (id: string) => unary(client, getMonitor, { id }, { token: tokenOfOthers });
    const refusal = { code: status.NOT_FOUND, details: 'monitor not found' };
    await expect(get(monitor.id)).rejects.toMatchObject(refusal);
    await expect(get('01920000-0000-7000-8000-000000000000')).rejects.toMatchObject(refusal);
    expect((await unary(client, getMonitor, { id: monitor.id }, { token })).monitor?.id).toBe(monitor.id);
  });
});

describe('a service credential', () => {
  const created = async (...args: string[]) => {
    const { stdout, stderr } = await admin(network.dataDir, 'service-credential', 'create', ...args);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const reader = ['--name', 'reports', '--services', 'monitor', '--permissions', 'monitors:read'];

  test('a Connect client renews its token automatically, and gets no new token after its credential is revoked', async () => {
    const { uuid } = network.installation.bootstrap.organization;
    const { id, secret, ...shown } = await created(...reader, '--org', uuid, '--token-seconds', '10');
    expect(shown).toMatchObject({
      name: 'reports',
      organization_id: uuid,
      services: ['monitor'],
      permissions: ['monitors:read'],
      token_seconds: 10,
      expires_at: null,
    });
    const transportTo = (service: 'identity' | 'monitor', interceptors: Interceptor[] = []) =>
      createGrpcTransport({ baseUrl: `http://${network.installation.bootstrap.grpc[service]}`, interceptors });
    const used = new Set<string>();
    const seen: Interceptor = (next) => (request) => {
      used.add(request.header.get('authorization') ?? '');
      return next(request);
    };
    const authenticated = serviceCredential({ identity: transportTo('identity'), secret, audience: 'monitor' });
    const client = createClient(MonitorService, transportTo('monitor', [authenticated, seen]));

    const [, claims = ''] = await client.listMonitors({}).then(() => [...used].join().split('.'));
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    while (Date.now() < exp * 1000 + 500) {
      await client.listMonitors({});
      await setTimeout(250);
    }
    expect(used.size).toBeGreaterThan(1);
    expect(used.size).toBeLessThanOrEqual(4);

    // The permission monitors:read does not allow a deletion.
    const remove = client.deleteMonitor({ id: '01920000-0000-7000-8000-000000000000' });
    await expect(remove).rejects.toMatchObject({ code: Code.PermissionDenied });

    const list = await admin(network.dataDir, 'service-credential', 'list', '--org', uuid);
    expect(JSON.parse(list.stdout)).toMatchObject({
      service_credentials: [{ id, name: 'reports', last_used_at: expect.stringMatching(/Z$/) }],
    });
    expect(list.stdout).not.toContain(secret);
    const revoked = await admin(network.dataDir, 'service-credential', 'revoke', '--id', id);
    expect(JSON.parse(revoked.stdout)).toEqual({ id, revoked: true });
    using identity = connect('identity');
    const request = { secret, audience: 'monitor' };
    await expect(unary(identity, exchangeServiceCredential, request)).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
    await setTimeout(10_500);
    await expect(client.listMonitors({})).rejects.toMatchObject({ code: Code.Unauthenticated });
  });

  test('a credential without an organization gets a token for the organization that the exchange request names', async () => {
    const { secret } = await created(...reader);
    const made = await admin(network.dataDir, 'org', 'create', '--name', 'Third', '--owner-email', 't@example.com');
    const third: string = JSON.parse(made.stdout).organization.uuid;
    const { uuid } = network.installation.bootstrap.organization;
    using identity = connect('identity');
    using client = connect('monitor');
    const namesIn = async (organizationId: string) => {
      const request = { secret, audience: 'monitor', organizationId };
      const { token } = await unary(identity, exchangeServiceCredential, request);
      const { monitors } = await unary(client, listMonitors, {}, { token });
      return monitors.map(({ name }) => name);
    };
    expect(await namesIn(uuid)).toEqual(['Seen from aside']);
    expect(await namesIn(third)).toEqual([]);
  });

  test('the error for an invalid option of a service credential names the option', async () => {
    const run = (...args: string[]) => admin(network.dataDir, 'service-credential', 'create', ...reader, ...args);
    expect(await run('--token-seconds', '301')).toMatchObject({
      code: 1,
      stderr: 'Refused: token_seconds must be a whole number from 10 to 300\n',
    });
    expect((await run('--token-seconds', 'ten')).stderr).toContain('--token-seconds is "ten"');
    expect((await run('--expires', 'tomorrow')).stderr).toContain('--expires is "tomorrow"');
  });
});

describe.each(serviceNames)('service %s', (name) => {
  test('the service reports its health without a token', async () => {
    using client = connect(name);
    expect(await unary(client, Health.method.check, {})).toMatchObject({ status: ServingStatus.SERVING });
  });

  test('the service lists and describes its RPC services by reflection', async () => {
    using client = connect(name);
    using call = streaming(client, ServerReflection.method.serverReflectionInfo);
    call.send({ messageRequest: { case: 'listServices', value: '' } });
    const { messageResponse } = await call.next();
    if (messageResponse.case !== 'listServicesResponse') throw new Error(`answered ${messageResponse.case}`);
    const listed = messageResponse.value.service.map((service) => service.name);
    expect(listed).toEqual(expect.arrayContaining(['grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection']));
    const own = listed.filter((service) => service.startsWith('tocsin.'));
    // The checker accepts no calls, because it gets its jobs from a queue.
    if (name === 'checker') expect(own).toEqual([]);
    else expect(own).toContainEqual(expect.stringMatching(`^tocsin\\.${name}\\.v1\\.\\w+Service$`));

    for (const service of listed) {
      call.send({ messageRequest: { case: 'fileContainingSymbol', value: service } });
      expect((await call.next()).messageResponse.case, service).toBe('fileDescriptorResponse');
    }
    call.end();
  });
});
