import { Writable } from 'node:stream';
import { type Database, openDatabase } from '@tocsin/database';
import { type Limits, toLimits } from '@tocsin/enums';
import { parseAllowedTargets } from '@tocsin/netguard';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import { createRpcClient, createRuntime, createTokenSource, createTransport } from '@tocsin/runtime';
import { testDatabase, testNats } from '@tocsin/testing';
import { generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import type { AccountMails, Dns, Exports } from '../src/app/ports.ts';
import { parseServiceSecrets } from '../src/app/service-secrets.ts';
import type { Client } from '../src/domain/oauth/client.ts';
import { createService, type IdentityServer } from '../src/service.ts';
import { migrations } from '../src/storage/migrations/index.ts';

export const SECRETS = {
  gateway: 'gateway-secret',
  monitor: 'monitor-secret',
  notifier: 'notifier-secret',
  admin: 'admin-secret',
};
/** Public address of the installation in tests. */
export const BASE_URL = 'http://tocsin.test';

export type KnownService = keyof typeof SECRETS;

/** Starts the database and NATS of an installation. The returned function `start` starts a replica of identity. */
export async function identityFixture() {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('identity'));
  const nats = stack.use(await testNats());
  const vaultKey = generateVaultKey('k1');
  const logged: string[] = [];
  const sent: SentMail[] = [];
  const running = stack.move();

  async function start({
    vaultKeys = vaultKey,
    now,
    defaultLimits = {},
    oauthClients = [],
    oauthRegistration = true,
    baseUrl = BASE_URL,
    mails = {},
    exports,
    dns,
  }: {
    vaultKeys?: string;
    now?: () => Date;
    defaultLimits?: Partial<Limits>;
    oauthClients?: readonly Client[];
    oauthRegistration?: boolean;
    baseUrl?: string;
    mails?: Partial<AccountMails>;
    exports?: Exports;
    dns?: Dns;
  } = {}) {
    const logTo = new Writable({
      write(chunk, _, done) {
        logged.push(String(chunk));
        done();
      },
    });
    const runtime = createRuntime('identity', { logLevel: 'trace', logTo });
    const config = {
      host: '127.0.0.1',
      adminHost: '127.0.0.1',
      adminPort: 0,
      logLevel: 'trace',
      rpcPort: 0,
      baseUrl,
      databaseUrl: storage.runtimeUrl,
      ownerDatabaseUrl: storage.url,
      natsUrl: nats.url,
      notifierUrl: 'http://127.0.0.1:9',
      monitorUrl: 'http://127.0.0.1:9',
      disruptionUrl: 'http://127.0.0.1:9',
      statuspageUrl: 'http://127.0.0.1:9',
      allowedTargets: parseAllowedTargets('127.0.0.0/8'),
      closedPorts: new Set<number>(),
      vaultKeys: parseVaultKeys(vaultKeys),
      defaultLimits: toLimits(defaultLimits),
      oauthClients,
      oauthRegistration,
      serviceSecrets: parseServiceSecrets(
        Object.entries(SECRETS)
          .map(([name, secret]) => `${name}:${secret}`)
          .join(','),
      ),
    };
    const overrides = {
      ...(now && { now }),
      ...(exports && { exports }),
      ...(dns && { dns }),
      mails: { ...recordMails(sent), ...mails },
    };
    return running.use(await createService(config, runtime, overrides));
  }

  return {
    natsUrl: nats.url,
    vaultKey,
    logged,
    /** Emails that were sent by any replica. */
    sent,
    start,
    /** Opens the service's database, for tests that read or change rows. */
    openTables: async (): Promise<Database> =>
      running.use(await openDatabase({ url: storage.url, entities: [], migrations, poolSize: 2 })),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An email that identity passed to notifier. */
export interface SentMail {
  readonly to: string;
  readonly kind: keyof AccountMails;
  /**
   * For the kinds `credentialChange` and `organizationNotice`, the text about the change. For other kinds, the URL in
   * the email.
   */
  readonly text: string;
}

/** Returns an implementation of AccountMails that adds emails to `sent` instead of sending them. */
export function recordMails(sent: SentMail[]): AccountMails {
  const record = (kind: keyof AccountMails, to: string, text: string) => {
    sent.push({ to, kind, text });
    return Promise.resolve();
  };
  return {
    signIn: (to, url) => record('signIn', to, url),
    invitation: (to, { url }) => record('invitation', to, url),
    credentialChange: (to, change) => record('credentialChange', to, change),
    organizationNotice: (to, { notice }) => record('organizationNotice', to, notice),
    emailConfirmation: (to, { url }) => record('emailConfirmation', to, url),
    emailChanged: (to, { undoUrl }) => record('emailChanged', to, undoUrl),
  };
}

export function urlOf(identity: IdentityServer): string {
  return `http://127.0.0.1:${identity.rpcPort}`;
}

/** Returns clients that send the token of `service`, or no token if it is undefined. */
export function clientsOf(identity: IdentityServer, service?: KnownService) {
  const url = urlOf(identity);
  const tokens = service && createTokenSource({ service, secret: SECRETS[service], identityUrl: url });
  const transport = createTransport({ url, service: 'identity', ...(tokens && { tokens }) });
  return {
    identity: createRpcClient(IdentityService, transport),
    admin: createRpcClient(AdminService, transport),
    keys: createRpcClient(ApiKeyService, transport),
    usage: createRpcClient(UsageService, transport),
  };
}
