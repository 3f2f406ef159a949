import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type ServiceImpl } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { toLimits } from '@tocsin/enums';
import { testIdentity } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { accessOf, createRuntime, startRpcServer } from '../src/index.ts';

/** Returns all services in the proto files, so that the test includes new services. */
async function allServices(): Promise<DescService[]> {
  const folder = join(import.meta.dirname, '../../../proto/gen/tocsin');
  const services: DescService[] = [];
  for await (const file of glob('*/v1/*_pb.ts', { cwd: folder })) {
    const exported: Record<string, unknown> = await import(join(folder, file));
    services.push(...Object.values(exported).filter(isService));
  }
  return services;
}

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
}

const ORGANIZATION = '01920000-0000-7000-8000-00000000000a';
const services = await allServices();
const methods = services.flatMap((service) => service.methods);
const [identity, foreign] = [await testIdentity(), await testIdentity()];
const responded: string[] = [];
const nameOf = (method: DescMethod) => `${method.parent.typeName}/${method.name}`;

/** Starts a server with every method. Each method only records that it was called. */
const server = await startRpcServer({
  host: '127.0.0.1',
  port: 0,
  runtime: createRuntime('sample', { logLevel: 'silent' }),
  verifier: identity.verifier,
  services,
  routes(router) {
    for (const service of services) {
      const handlers = service.methods.map((method) => {
        const handler = async () => {
          responded.push(nameOf(method));
          return {};
        };
        return [method.localName, handler] as const;
      });
      // The cast is safe, because every method is unary and has a handler.
      router.service(service, Object.fromEntries(handlers) as ServiceImpl<DescService>);
    }
  },
});
afterAll(() => server[Symbol.asyncDispose]());
const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${server.port}` });

/** Returns the status code of a call with a token; `ok` for success. */
async function call(method: DescMethod, token: string | undefined): Promise<string> {
  const client = createClient(method.parent, transport) as Record<
    string,
    (request: object, options: { headers: Record<string, string> }) => Promise<unknown>
  >;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    await client[method.localName]?.({}, { headers });
    return 'ok';
  } catch (error) {
    return Code[ConnectError.from(error).code];
  }
}

type Access = ReturnType<typeof accessOf>;

/** Returns a token for `audience` that `signer` signed and that grants access to a method. */
function rightToken(
  { permission, services: [service = ''], acrossOrganizations }: Access,
  audience = 'sample',
  signer = identity,
) {
  return permission === ''
    ? signer.serviceToken(service, acrossOrganizations ? undefined : ORGANIZATION, audience)
    : signer.credentialToken(ORGANIZATION, { permissions: [permission] }, audience);
}

const closed = methods.filter((method) => !accessOf(method).anonymous);

test('more than 50 methods require a token, and only three methods accept calls without a token', () => {
  expect(closed.length).toBeGreaterThan(50);
  const open = methods.filter((method) => accessOf(method).anonymous).map(nameOf);
  expect(open.sort()).toEqual([
    'tocsin.identity.v1.IdentityService/ExchangeServiceCredential',
    'tocsin.identity.v1.IdentityService/IssueServiceToken',
    'tocsin.identity.v1.IdentityService/ListSigningKeys',
  ]);
});

test.each(closed.map((method) => [nameOf(method), method] as const))(
  'method %s rejects every token except the right one',
  async (name, method) => {
    const access = accessOf(method);
    const expired =
      access.permission === ''
        ? ({ kind: 'service', service: access.services[0] ?? '', organizationId: ORGANIZATION } as const)
        : ({
            kind: 'credential',
            organizationId: ORGANIZATION,
            credentialId: 'c',
            actorEmail: 'jane@example.com',
            permissions: [access.permission],
            limits: toLimits({}),
          } as const);
    const outsiders: [string, string | undefined, string][] = [
      ['no token', undefined, 'Unauthenticated'],
      ['a wrong token', 'hello', 'Unauthenticated'],
      ['an expired token', await identity.expiredToken(expired, 'sample'), 'Unauthenticated'],
      ['a token that a foreign identity signed', await rightToken(access, 'sample', foreign), 'Unauthenticated'],
      ['a token for another audience', await rightToken(access, 'monitor'), 'Unauthenticated'],
      [
        'a credential without permissions',
        await identity.credentialToken(ORGANIZATION, { permissions: [] }),
        'PermissionDenied',
      ],
      ['a service that is not named', await identity.serviceToken('stranger', ORGANIZATION), 'PermissionDenied'],
      [
        'a service that is not named, across organizations',
        await identity.serviceToken('stranger'),
        'PermissionDenied',
      ],
    ];
    if (access.permission.endsWith(':read_write')) {
      const narrow = access.permission.replace(':read_write', ':read');
      outsiders.push([
        'a credential that may only read',
        await identity.credentialToken(ORGANIZATION, { permissions: [narrow] }),
        'PermissionDenied',
      ]);
    }
    for (const service of access.services) {
      outsiders.push([
        access.acrossOrganizations ? 'a token that is bound to an organization' : 'a token without an organization',
        await identity.serviceToken(service, access.acrossOrganizations ? ORGANIZATION : undefined),
        'PermissionDenied',
      ]);
    }
    for (const [who, token, code] of outsiders) expect([who, await call(method, token)]).toEqual([who, code]);
    expect(responded).not.toContain(name);
    // The right token is accepted, which shows that the method does not simply reject every token.
    expect(await call(method, await rightToken(access))).toBe('ok');
    expect(responded).toContain(name);
  },
);
