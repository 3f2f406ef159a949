import { type BaseConfig, type ConfigReader, readBaseConfig } from '@tocsin/runtime';

/** What the configuration of every service that others call has. */
export interface ServiceConfig extends BaseConfig {
  /** Port of RPCs; 0 asks the system for a free one. */
  readonly rpcPort: number;
  readonly natsUrl: string;
  readonly identityUrl: string;
  /** Proves to identity which service this is. */
  readonly serviceSecret: string;
}

/** The same for a service with tables. */
export interface DatabaseConfig extends ServiceConfig {
  readonly databaseUrl: string;
}

interface Ports {
  readonly rpcPort: number;
  readonly adminPort: number;
}

/** Reads what every service has. `ports` are the defaults. */
export function readServiceConfig(read: ConfigReader, ports: Ports): ServiceConfig {
  return {
    ...readBaseConfig(read, ports.adminPort),
    rpcPort: read.port('TOCSIN_RPC_PORT', ports.rpcPort),
    natsUrl: read.natsUrl(),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
  };
}

/** Reads the same and the database of `service`. */
export function readDatabaseConfig(read: ConfigReader, service: string, ports: Ports): DatabaseConfig {
  return { ...readServiceConfig(read, ports), databaseUrl: read.databaseUrl(service) };
}
