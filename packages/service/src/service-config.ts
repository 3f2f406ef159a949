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

/** Configuration of a program's database. */
export interface StorageConfig {
  readonly databaseUrl: string;
  /** URL of the role that migrates and owns the tables. Without it, the role of `databaseUrl` does. */
  readonly ownerDatabaseUrl?: string | undefined;
  /** Whether to wait until the database is migrated, instead of migrating it. Defaults to false. */
  readonly expectMigrated?: boolean | undefined;
}

/** Configuration of a service with a database. */
export interface DatabaseConfig extends ServiceConfig, StorageConfig {}

interface Ports {
  readonly rpcPort: number;
  readonly adminPort: number;
}

/** Reads a ServiceConfig. `ports` are the default ports. */
export function readServiceConfig(read: ConfigReader, ports: Ports): ServiceConfig {
  return {
    ...readBaseConfig(read, ports.adminPort),
    rpcPort: read.port('TOCSIN_RPC_PORT', ports.rpcPort),
    natsUrl: read.natsUrl(),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
  };
}

/** Reads a DatabaseConfig for `service`. */
export function readDatabaseConfig(read: ConfigReader, service: string, ports: Ports): DatabaseConfig {
  return {
    ...readServiceConfig(read, ports),
    ...readStorageConfig(read, service),
  };
}

/** Reads a StorageConfig for `program`. */
export function readStorageConfig(read: ConfigReader, program: string): StorageConfig {
  return {
    databaseUrl: read.databaseUrl(program),
    ownerDatabaseUrl: read.ownerDatabaseUrl(program),
    expectMigrated: read.expectMigrated(),
  };
}
