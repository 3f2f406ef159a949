import { authorization } from '@tocsin/dev-servers/nats';
import { Problem } from '@tocsin/dev-servers/problem';
import { natsUsers } from './nats-users.ts';
import { completeSecrets } from './secrets.ts';
import { callerNames, processNames, storedNames } from './service-names.ts';

export interface SecretOptions {
  /** Name of the Secret, which the chart's `existingSecret` refers to. */
  readonly name: string;
  /**
   * URL of the database, with user and password. Each service has its own schema in it. This user owns the tables, and
   * must be allowed to create roles, because the migration creates another role for each service.
   */
  readonly databaseUrl: string;
  /** Address of the NATS server, such as `tocsin-nats:4222`. */
  readonly natsHost: string;
}

/**
 * Returns a Kubernetes Secret with new secrets for the Helm charts. For servers that are installed together with
 * Tocsin, it also contains the configuration of the NATS users and the database password.
 * @throws Problem if an option is not valid.
 */
export function kubernetesSecret({ name, databaseUrl, natsHost }: SecretOptions): object {
  const database = URL.parse(databaseUrl);
  if (!database || !/^postgres(ql)?:$/.test(database.protocol) || !database.username || !database.password) {
    throw new Problem('--database-url should be like postgres://user:password@host:5432/database.');
  }
  if (!/^[A-Za-z0-9.-]+:\d{1,5}$/.test(natsHost)) throw new Problem('--nats-host should be like tocsin-nats:4222.');
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) {
    throw new Problem('--name should be lowercase letters, digits and hyphens, at most 63.');
  }
  const secrets = completeSecrets();
  const stringData: Record<string, string> = {
    'vault-keys': secrets.vaultKeys,
    'service-secrets': callerNames.map((caller) => `${caller}:${secrets.services[caller]}`).join(','),
    'owner-database-url': databaseUrl,
    'database-password': decodeURIComponent(database.password),
    'nats-users.conf': authorization(natsUsers(secrets.nats)),
  };
  for (const name of storedNames) {
    const url = new URL(databaseUrl);
    url.username = `${database.username}_${name}`;
    url.password = secrets.runtimeDatabases[name];
    if (!url.searchParams.has('options')) url.searchParams.set('options', `-c search_path=${name}`);
    stringData[`database-url-${name}`] = url.href;
  }
  for (const process of processNames) {
    stringData[`service-secret-${process}`] = secrets.services[process];
    stringData[`nats-url-${process}`] = `nats://${process}:${secrets.nats[process]}@${natsHost}`;
  }
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData };
}
