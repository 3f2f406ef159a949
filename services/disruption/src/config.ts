import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';

export interface DisruptionConfig extends DatabaseConfig {
  readonly statuspageUrl: string;
  /** Author of automatic timeline entries, a mail address. */
  readonly senderAddress: string;
}

/** @throws ConfigError that lists all problems of the environment. */
export function loadConfig(env: Environment): DisruptionConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readDatabaseConfig(read, 'disruption', { rpcPort: 7104, adminPort: 7204 }),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    senderAddress: read.string('TOCSIN_SENDER_ADDRESS', 'tocsin@localhost'),
  });
}
