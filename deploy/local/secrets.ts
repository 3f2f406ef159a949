import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isRecord, readJson, writeJson } from '@tocsin/dev-servers/files';
import {
  type CallerName,
  callerNames,
  type NatsUserName,
  natsUserNames,
  type StoredName,
  storedNames,
} from './service-names.ts';

/** Secrets of an installation, generated on its first start. */
export interface Secrets {
  /** Secrets with which callers authenticate to identity, by caller. */
  readonly services: Readonly<Record<CallerName, string>>;
  /** Passwords of the NATS users. */
  readonly nats: Readonly<Record<NatsUserName, string>>;
  /** Passwords of the database roles that own the tables. */
  readonly databases: Readonly<Record<StoredName, string>>;
  /** Passwords of the database roles with which the programs run. */
  readonly runtimeDatabases: Readonly<Record<StoredName, string>>;
  /** Keys for secrets at rest, in the format of `TOCSIN_VAULT_KEYS`: `k1:<base64 of 32 bytes>`. */
  readonly vaultKeys: string;
}

export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/** Reads the secrets of a data folder, and generates missing ones. On the first start, all are missing. */
export async function openSecrets(dataDir: string): Promise<Secrets> {
  const file = secretsFile(dataDir);
  const known = await readJson(file);
  const secrets = completeSecrets(known);
  if (JSON.stringify(secrets) !== JSON.stringify(known)) await writeJson(file, secrets, 0o600);
  return secrets;
}

/** Returns the known secrets, and generates missing ones. */
export function completeSecrets(known?: Readonly<Record<string, unknown>>): Secrets {
  return {
    services: completed(callerNames, known?.services),
    nats: completed(natsUserNames, known?.nats),
    databases: completed(storedNames, known?.databases),
    runtimeDatabases: completed(storedNames, known?.runtimeDatabases),
    vaultKeys: typeof known?.vaultKeys === 'string' ? known.vaultKeys : `k1:${randomBytes(32).toString('base64')}`,
  };
}

function completed<Name extends string>(names: readonly Name[], known: unknown): Record<Name, string> {
  const before = isRecord(known) ? known : {};
  return Object.fromEntries(
    names.map((name) => {
      const secret = before[name];
      return [name, typeof secret === 'string' ? secret : randomBytes(32).toString('base64url')];
    }),
  ) as Record<Name, string>;
}
