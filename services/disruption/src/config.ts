import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';
import { senderAddress } from '@tocsin/text';

export interface DisruptionConfig extends DatabaseConfig {
  readonly statuspageUrl: string;
  /** Email address that automatic timeline entries have as their author. */
  readonly senderAddress: string;
}

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError that lists all invalid variables.
 */
export function loadConfig(env: Environment): DisruptionConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readDatabaseConfig(read, 'disruption', { rpcPort: 7104, adminPort: 7204 }),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    senderAddress: read.parsed('TOCSIN_MAIL_FROM', parseSender, 'Tocsin <tocsin@localhost>'),
  });
}

/**
 * Returns the address of a sender such as `Tocsin <tocsin@example.com>` or `tocsin@example.com`.
 * @throws Error for any other string.
 */
function parseSender(text: string): string {
  const address = senderAddress(text);
  if (address === undefined) throw new Error('must be a mail address such as Tocsin <tocsin@example.com>');
  return address;
}
