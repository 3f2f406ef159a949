import { type BaseConfig, type ConfigReader, readBaseConfig } from '@tocsin/runtime';

/** Configuration of a service with an RPC server. */
export interface ServiceConfig extends BaseConfig {
  /** Port of the RPC server; 0 for any free port. */
  readonly rpcPort: number;
  readonly natsUrl: string;
  readonly identityUrl: string;
  /** Secret with which the service authenticates to identity. */
  readonly serviceSecret: string;
}

export const DEFAULT_CONNECTIONS = 10;

/** Configuration of a program's database. */
export interface StorageConfig {
  readonly databaseUrl: string;
  /** URL of the role that migrates and owns the tables. If absent, the role of `databaseUrl` migrates and owns them. */
  readonly ownerDatabaseUrl?: string | undefined;
  /** Whether to wait until the database is migrated, instead of migrating it. Defaults to false. */
  readonly expectMigrated?: boolean | undefined;
  /**
   * Maximum number of connections, not counting the two or three that wait for notifications. Defaults to 10.
   */
  readonly connections?: number | undefined;
}

/** Configuration of a service with a database. */
export interface DatabaseConfig extends ServiceConfig, StorageConfig {}

interface Defaults {
  readonly rpcPort: number;
  readonly adminPort: number;
  readonly connections?: number;
}

export function readServiceConfig(read: ConfigReader, defaults: Defaults): ServiceConfig {
  return {
    ...readBaseConfig(read, defaults.adminPort),
    rpcPort: read.port('TOCSIN_RPC_PORT', defaults.rpcPort),
    natsUrl: read.natsUrl(),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
  };
}

/** Reads a DatabaseConfig for `service`. */
export function readDatabaseConfig(read: ConfigReader, service: string, defaults: Defaults): DatabaseConfig {
  return {
    ...readServiceConfig(read, defaults),
    ...readStorageConfig(read, service, defaults.connections),
  };
}

/** Reads a StorageConfig for `program`. */
export function readStorageConfig(
  read: ConfigReader,
  program: string,
  connections = DEFAULT_CONNECTIONS,
): StorageConfig {
  return {
    databaseUrl: read.databaseUrl(program),
    ownerDatabaseUrl: read.ownerDatabaseUrl(program),
    expectMigrated: read.expectMigrated(),
    connections: read.integer('TOCSIN_DATABASE_CONNECTIONS', { min: 2, max: 100 }, connections),
  };
}
