import type { RequestListener } from 'node:http';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import {
  AdminService,
  type CreateOrganizationRequest,
  type CreateOrganizationResponseSchema,
  IdentityService,
} from '@tocsin/proto/identity/v1/identity';
import { type TestIdentity, testIdentity } from '@tocsin/testing';
import { createRuntime, organizationOf, type RpcServerOptions, type Runtime, startRpcServer } from '../src/index.ts';
import { type LogLines, lines } from './log-lines.ts';

export interface Sample extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly runtime: Runtime;
  readonly log: LogLines;
  /** Issuer of the tokens that the server accepts. */
  readonly identity: TestIdentity;
}

export interface SampleOptions {
  /** Implementation of CreateOrganization. By default, it returns an organization with the requested name. */
  readonly createOrganization?: (
    request: CreateOrganizationRequest,
    context: HandlerContext,
  ) => Promise<MessageInitShape<typeof CreateOrganizationResponseSchema>>;
  readonly web?: RequestListener;
  readonly host?: string;
  /** Port of the server. Defaults to a free port. */
  readonly port?: number;
  readonly idleTimeoutMs?: number;
  /** Issuer of the accepted tokens. By default, the server has one of its own. */
  readonly identity?: TestIdentity;
  readonly tls?: RpcServerOptions['tls'];
}

/**
 * Starts an RPC server. It has a method for each kind of caller: the service `admin`, the service `notifier` with a
 * token for an organization, credentials, and anonymous callers.
 */
export async function startSample({
  createOrganization,
  web,
  host = '127.0.0.1',
  port: wanted = 0,
  idleTimeoutMs,
  identity: issuer,
  tls,
}: SampleOptions = {}): Promise<Sample> {
  const log = lines();
  const runtime = createRuntime('sample', { logTo: log.stream, logLevel: 'debug' });
  const identity = issuer ?? (await testIdentity());
  const server = await startRpcServer({
    host,
    port: wanted,
    runtime,
    verifier: identity.verifier,
    services: [AdminService, ApiKeyService, IdentityService],
    routes(router) {
      router.service(AdminService, {
        createOrganization: createOrganization ?? (async ({ name }) => ({ organization: { name } })),
        createApiKey: async ({ name }) => ({ key: name }),
      });
      router.service(ApiKeyService, {
        getApiKey: async (_, context) => ({ apiKey: { name: organizationOf(context) } }),
      });
      router.service(IdentityService, {
        listSigningKeys: async () => ({ jwksJson: '{"keys":[]}' }),
        listOwners: async (_, context) => ({ owners: [{ id: organizationOf(context) }] }),
      });
    },
    tls,
    ...(web && { web }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  });
  const { port } = server;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    runtime,
    log,
    identity,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
