import type { Secrets } from './secrets.ts';
import {
  callerNames,
  type Plan,
  type ProcessName,
  regionsOf,
  type ServiceName,
  type StoredName,
  serviceNames,
} from './service-names.ts';

/** Returns the names of all ports, such as `postgres`, `nats`, `monitorRpc` or `checker-local-bAdmin`. */
export function portNames(plans: readonly Plan[]): string[] {
  const rpc = plans.filter(({ process }) => process !== 'gateway').map(({ name }) => `${name}Rpc`);
  return ['postgres', 'nats', ...rpc, ...plans.map(({ name }) => `${name}Admin`), 'mailboxSmtp', 'mailboxWeb'];
}

/** Settings of the installation that its processes need. */
export interface Installation {
  /** Public port of the gateway. */
  readonly port: number;
  readonly baseUrl: string;
  /** Ports, keyed by the names that portNames() returns. */
  readonly ports: Readonly<Record<string, number>>;
  readonly natsUrls: Readonly<Record<ProcessName, string>>;
  readonly databaseUrls: Readonly<Record<StoredName, string>>;
  readonly secrets: Secrets;
  /** SMTP URL of the local mailbox; undefined if another mail server is configured. */
  readonly mailboxUrl: string | undefined;
  /** Environment variables of `npm start`. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Private addresses that checks may reach by default: those of localhost, so that users can monitor local programs.
 */
export const openedForChecks = '127.0.0.0/8,::1/128';

const passedOn =
  /^(PATH|HOME|LANG|LC_ALL|TZ|TMPDIR|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|TOCSIN_.*|OTEL_.*|(HTTPS?|NO)_PROXY)$/i;

/** Variables that configure only the installation and are not passed on to its processes. */
const ours = /^TOCSIN_(PORT|DATA_DIR|PROCESSES|OWNER_DATABASE_URL(_FILE)?)$/;

/** Variables that configure the mail server, including its password. Only processes that send mail get them. */
const forMail = /^TOCSIN_SMTP_URL(_FILE)?$/;
const whoMails: readonly ProcessName[] = ['notifier'];

/**
 * Variables that configure where snapshots are written, including a secret. Only the process that writes snapshots gets
 * them.
 */
const forSnapshots = /^TOCSIN_SNAPSHOT_/;

/** Variables with the vault keys. Only processes that encrypt secrets get them. */
const forVault = /^TOCSIN_VAULT_KEYS(_FILE)?$/;
const whoSeals: readonly ProcessName[] = ['identity', 'monitor', 'notifier', 'gateway'];

/** Returns the environment that all processes have, without settings of the product. */
export function commonEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const inherited = Object.entries(env).filter(([key]) => passedOn.test(key) && !key.startsWith('TOCSIN_'));
  return Object.fromEntries(inherited) as Record<string, string>;
}

/**
 * Returns the environment of a process. The installation's addresses, databases and secrets override the environment of
 * the caller. Other TOCSIN_ and OTEL_ variables of the caller are passed on.
 */
export function environmentOf(plan: Plan, installation: Installation): Record<string, string> {
  const { ports, secrets, env } = installation;
  const isFor = (key: string) =>
    passedOn.test(key) &&
    !ours.test(key) &&
    (!forMail.test(key) || whoMails.includes(plan.process)) &&
    (!forSnapshots.test(key) || plan.process === 'statuspage') &&
    (!forVault.test(key) || whoSeals.includes(plan.process));
  const inherited = Object.entries(env).filter(([key]) => isFor(key)) as [string, string][];
  return {
    TOCSIN_ALLOW_PRIVATE_TARGETS: openedForChecks,
    ...(whoSeals.includes(plan.process) && !env.TOCSIN_VAULT_KEYS_FILE && { TOCSIN_VAULT_KEYS: secrets.vaultKeys }),
    ...Object.fromEntries(inherited),
    // Without these closed ports, checks and alerts of tenants could reach the installation's own servers on this
    // machine.
    TOCSIN_CLOSED_PORTS: [...Object.values(ports), ...(env.TOCSIN_CLOSED_PORTS?.split(',') ?? [])].join(','),
    TOCSIN_HOST: '127.0.0.1',
    // The supervisor polls /readyz at this address.
    TOCSIN_ADMIN_HOST: '127.0.0.1',
    TOCSIN_ADMIN_PORT: String(ports[`${plan.name}Admin`]),
    TOCSIN_BASE_URL: installation.baseUrl,
    // The installation migrates the databases before it starts the processes, because the processes do not know the
    // credentials of the roles that may migrate.
    TOCSIN_MIGRATIONS: 'wait',
    // All processes have the same version, so all of them understand batches.
    TOCSIN_CHECK_BATCHES: 'true',
    TOCSIN_NATS_URL: installation.natsUrls[plan.process],
    TOCSIN_SERVICE_SECRET: secrets.services[plan.process],
    ...Object.fromEntries(
      serviceNames.map((service) => [`TOCSIN_${service.toUpperCase()}_URL`, rpcUrlOf(service, installation)]),
    ),
    ...ownPart(plan, installation),
  };
}

export function rpcUrlOf(service: ServiceName, { ports, env }: Pick<Installation, 'ports' | 'env'>): string {
  return `${env.TOCSIN_TLS_DIR ? 'https' : 'http'}://127.0.0.1:${ports[`${service}Rpc`]}`;
}

function ownPart(
  plan: Plan,
  { port, ports, databaseUrls, secrets, mailboxUrl, env }: Installation,
): Record<string, string> {
  const rpcPort = String(ports[`${plan.name}Rpc`]);
  switch (plan.process) {
    case 'gateway':
      return {
        TOCSIN_DATABASE_URL: databaseUrls.gateway,
        TOCSIN_PORT: String(port),
        // Only the gateway may need to be reachable from other hosts, for example if it runs in a container.
        TOCSIN_HOST: env.TOCSIN_HOST || '127.0.0.1',
      };
    case 'checker':
      // The checker has no database, so a configured URL is not passed on to it.
      return { TOCSIN_RPC_PORT: rpcPort, TOCSIN_DATABASE_URL: '', TOCSIN_REGION: plan.region ?? '' };
    case 'identity':
      return {
        TOCSIN_DATABASE_URL: databaseUrls.identity,
        TOCSIN_RPC_PORT: rpcPort,
        TOCSIN_SERVICE_SECRETS: callerNames.map((caller) => `${caller}:${secrets.services[caller]}`).join(','),
      };
    case 'monitor':
      return {
        TOCSIN_DATABASE_URL: databaseUrls.monitor,
        TOCSIN_RPC_PORT: rpcPort,
        TOCSIN_REGIONS: regionsOf(env).join(','),
      };
    case 'disruption':
    case 'statuspage':
      return { TOCSIN_DATABASE_URL: databaseUrls[plan.process], TOCSIN_RPC_PORT: rpcPort };
    case 'notifier':
      return {
        TOCSIN_DATABASE_URL: databaseUrls.notifier,
        TOCSIN_RPC_PORT: rpcPort,
        ...(mailboxUrl !== undefined && { TOCSIN_SMTP_URL: mailboxUrl }),
      };
  }
}
