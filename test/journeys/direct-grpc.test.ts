import { timestampDate } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { serviceNames } from '@tocsin/local/service-names';
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '@tocsin/proto/grpc/health/v1/health';
import { ServerReflection } from '@tocsin/proto/grpc/reflection/v1/reflection';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { testIdentity } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grpcClient, streaming, unary } from '../../packages/runtime/test/grpc-js.ts';
import { type Network, startNetwork } from '../network.ts';
import { tocsin } from './tocsin.ts';

/** Calls the services with another gRPC client and without the gateway (docs/architecture.md: Trust). */

interface Monitor {
  readonly id: string;
  readonly name: string;
  readonly inserted_at: string;
}

const { listMonitors, getMonitor, deleteMonitor } = MonitorService.method;

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network?.[Symbol.asyncDispose]());

function connect(service: (typeof serviceNames)[number]) {
  const address = network.installation.bootstrap.grpc[service] ?? '';
  return grpcClient(Number(address.split(':')[1]));
}

/** Returns a token of an organization for the monitor service. */
async function createToken(organization: string): Promise<string> {
  const { stdout } = await tocsin(network.dataDir, 'token', 'create', '--org', organization, '--service', 'monitor');
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
    const made = await tocsin(network.dataDir, 'org', 'create', '--name', 'Others', '--owner-email', 'o@example.com');
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
      return JSON.parse((await tocsin(network.dataDir, 'token', 'create', '--org', uuid, ...args)).stdout).token;
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
