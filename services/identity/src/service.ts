import { askNameServers, createNetguard } from '@tocsin/netguard';
import {
  advanceOrganizations,
  deleteOldPositions,
  ensureEventStream,
  OLD_POSITIONS_EVERY_MS,
  ORGANIZATIONS_DUE,
  startRelay,
} from '@tocsin/outbox';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { AuditService } from '@tocsin/proto/identity/v1/audit';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import {
  connectNats,
  createTokenVerifier,
  createTransport,
  openTls,
  type Runtime,
  startRpcServer,
  untilItWorks,
} from '@tocsin/runtime';
import {
  type Loop,
  openServiceDatabase,
  refuseStopped,
  startDatabaseClock,
  startLoops,
  startRewrapping,
} from '@tocsin/service';
import { createVault } from '@tocsin/vault';
import { startBackground } from './app/background.ts';
import { deleteOld } from './app/delete-old.ts';
import { deleteDueOrganization, organizationHooks } from './app/organization-deletion.ts';
import { providerContext } from './app/organization-provider.ts';
import { createPasswordChecks } from './app/password-checks.ts';
import type { AccountMails, Deps, Dns, Exports } from './app/ports.ts';
import { totpContext } from './app/second-factor.ts';
import { openSigningKeys, signingKeyContext } from './app/signing-keys.ts';
import { deleteDueUser } from './app/user-deletion.ts';
import { notifierMails } from './clients/account-mails.ts';
import { openIdProviders } from './clients/openid-providers.ts';
import { serviceExports } from './clients/service-exports.ts';
import { systemDns } from './clients/system-dns.ts';
import type { IdentityConfig } from './config.ts';
import { SERVICE_TOKEN_MS, tokenEnd } from './domain/token-lifetime.ts';
import { adminRpc } from './rpc/admin-rpc.ts';
import { apiKeyRpc } from './rpc/api-key-rpc.ts';
import { auditRpc } from './rpc/audit-rpc.ts';
import { identityRpc } from './rpc/identity-rpc.ts';
import { usageRpc } from './rpc/usage-rpc.ts';
import { ORGANIZATION_DELETION_DUE, USER_DELETION_DUE } from './storage/deletion-store.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';
import { accountRoutes } from './web/account-web.ts';
import { createAccounts } from './web/accounts.ts';
import { apiKeyRoutes } from './web/api-key-web.ts';
import { emailRoutes } from './web/email-web.ts';
import { identityWeb } from './web/identity-web.ts';
import { invitationRoutes } from './web/invitation-web.ts';
import { memberRoutes } from './web/member-web.ts';
import { oauthRoutes } from './web/oauth/oauth-web.ts';
import { organizationRoutes } from './web/organization-web.ts';
import { passkeyRoutes } from './web/passkey-web.ts';
import { providerRoutes } from './web/provider-web.ts';
import { signInRoutes } from './web/sign-in-web.ts';

export interface Overrides {
  readonly mails?: AccountMails;
  readonly exports?: Exports;
  readonly dns?: Dns;
  readonly now?: () => Date;
}

export interface IdentityServer extends AsyncDisposable {
  readonly rpcPort: number;
}

const MAINTAIN_KEYS_EVERY_MS = 60_000;
const DELETE_OLD_EVERY_MS = 3_600_000;
const DELETE_DUE_EVERY_MS = 5_000;

/** Starts identity, and waits for its database and NATS. Disposing waits for running calls. */
export async function createService(
  config: IdentityConfig,
  runtime: Runtime,
  { mails, exports, dns, ...overrides }: Overrides = {},
): Promise<IdentityServer> {
  await using stack = new AsyncDisposableStack();

  const database = stack.use(await openServiceDatabase(config, runtime, { entities, migrations }));
  const now = overrides.now ?? stack.use(await startDatabaseClock(database, runtime)).now;

  const nats = stack.use(await connectNats(config.natsUrl, runtime));
  await untilItWorks('the event stream', runtime, () => ensureEventStream(nats.connection));
  stack.use(startRelay({ databaseUrl: config.databaseUrl, nats: nats.connection, runtime }));

  const vault = createVault(config.vaultKeys);
  const signingKeys = await openSigningKeys({ database, vault, now });
  const sealedKeys = {
    table: 'signing_key',
    column: 'sealed_private_jwk',
    keys: ['id'],
    context: signingKeyContext,
  } as const;
  const sealedTotp = {
    table: 'user_totp',
    column: 'sealed_secret',
    keys: ['user_id'],
    context: totpContext,
  } as const;
  const sealedProviders = {
    table: 'organization_provider',
    column: 'sealed_client_secret',
    keys: ['organization_id'],
    context: providerContext,
  } as const;
  const columns = [sealedKeys, sealedTotp, sealedProviders];
  stack.use(startRewrapping({ database, vault, keysFile: config.vaultKeysFile, runtime, columns }));
  // Verifies tokens with the local keys, so that identity does not call itself.
  const refusing = refuseStopped({
    database,
    verifier: createTokenVerifier(() => signingKeys.publicKeys(), now),
    stoppedSql: 'select id from organization where delete_at is not null',
  });
  const loops: readonly Loop[] = [
    {
      name: 'maintenance of the signing keys',
      everyMs: MAINTAIN_KEYS_EVERY_MS,
      async run() {
        await signingKeys.maintain();
        return 'done';
      },
    },
    { name: 'deletion of old rows', everyMs: DELETE_OLD_EVERY_MS, run: () => deleteOld({ database, now }) },
    {
      name: 'deletion of organizations',
      everyMs: DELETE_DUE_EVERY_MS,
      dueSql: ORGANIZATION_DELETION_DUE,
      run: () => deleteDueOrganization({ database, now }),
    },
    {
      name: 'deletion of rows of organizations',
      everyMs: DELETE_DUE_EVERY_MS,
      dueSql: ORGANIZATIONS_DUE,
      run: () => advanceOrganizations(database, organizationHooks, now()),
    },
    {
      name: 'deletion of old positions of events',
      everyMs: OLD_POSITIONS_EVERY_MS,
      // A credential, the other aggregate, has one event: it was revoked.
      run: () => deleteOldPositions({ database, nats: nats.connection, aggregates: ['organization'] }),
    },
    {
      name: 'deletion of users',
      everyMs: DELETE_DUE_EVERY_MS,
      dueSql: USER_DELETION_DUE,
      run: () => deleteDueUser({ database, now }),
    },
    refusing.loop,
  ];
  stack.use(startLoops(loops, { database, runtime, now }));
  const background = stack.use(startBackground(runtime.logger));
  // Tokens for calls to other services are signed here, so that identity does not call itself.
  const token = (audience: string, organizationId?: string) =>
    signingKeys.sign(
      { kind: 'service', service: 'identity', organizationId },
      audience,
      tokenEnd(now(), SERVICE_TOKEN_MS),
    );
  const tls = await openTls({ folder: config.tlsFolder, runtime });
  if (tls) stack.use(tls);
  const transportTo = (service: string, url: string) => createTransport({ url, service, tokens: { token }, tls });
  const notifier = transportTo('notifier', config.notifierUrl);
  const transports = {
    monitor: transportTo('monitor', config.monitorUrl),
    disruption: transportTo('disruption', config.disruptionUrl),
    statuspage: transportTo('statuspage', config.statuspageUrl),
    notifier,
  };
  const resolve = askNameServers({ servers: config.nameServers });
  const guard = createNetguard({ allow: config.allowedTargets, closedPorts: config.closedPorts, resolve });
  const deps: Deps = {
    mails: mails ?? notifierMails(notifier),
    exports: exports ?? serviceExports(transports),
    providers: openIdProviders(guard),
    dns: dns ?? systemDns(),
    background,
    passwordChecks: createPasswordChecks(),
    database,
    vault,
    signingKeys,
    serviceSecrets: config.serviceSecrets,
    defaultLimits: config.defaultLimits,
    baseUrl: config.baseUrl,
    now,
  };

  const accounts = createAccounts(deps);
  const pages = [
    signInRoutes,
    accountRoutes,
    passkeyRoutes,
    providerRoutes,
    emailRoutes,
    memberRoutes,
    organizationRoutes,
    apiKeyRoutes,
    invitationRoutes,
  ].flatMap((routes) => routes(deps, accounts));
  const { oauthClients: clients, oauthRegistration: registration } = config;
  const oauth = oauthRoutes({ deps, accounts, logger: runtime.logger, clients, registration });

  const server = stack.use(
    await startRpcServer({
      host: config.host,
      port: config.rpcPort,
      runtime,
      tls,
      verifier: refusing,
      services: [IdentityService, ApiKeyService, AuditService, AdminService, UsageService],
      web: identityWeb([...pages, ...oauth], {
        accounts,
        baseUrl: config.baseUrl,
        logger: runtime.logger,
      }),
      routes(router) {
        router.service(IdentityService, identityRpc(deps));
        router.service(ApiKeyService, apiKeyRpc(deps));
        router.service(AuditService, auditRpc(deps));
        router.service(AdminService, adminRpc(deps));
        router.service(UsageService, usageRpc(deps));
      },
    }),
  );

  const running = stack.move();
  return { rpcPort: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
