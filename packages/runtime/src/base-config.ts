import type { ConfigReader } from './config.ts';

/** Configuration that all processes share. */
export interface BaseConfig {
  readonly host: string;
  /** Address of `/livez`, `/readyz` and `/metrics`, for operators only. */
  readonly adminHost: string;
  readonly adminPort: number;
  readonly logLevel: string;
  /**
   * Folder with tls.crt, tls.key and ca.crt for TLS between the programs, see docs/operations/tls.md. If absent, the
   * programs do not use TLS.
   */
  readonly tlsFolder?: string | undefined;
  /** Maximum time for the process to finish its work after a signal to stop, in milliseconds. Defaults to 20 s. */
  readonly drainMs?: number | undefined;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** Reads the configuration that all processes share. `adminPort` is the admin port if none is configured. */
export function readBaseConfig(read: ConfigReader, adminPort: number): BaseConfig {
  return {
    host: read.string('TOCSIN_HOST', '127.0.0.1'),
    adminHost: read.string('TOCSIN_ADMIN_HOST', '127.0.0.1'),
    adminPort: read.port('TOCSIN_ADMIN_PORT', adminPort),
    logLevel: read.oneOf('TOCSIN_LOG_LEVEL', LOG_LEVELS, 'info'),
    tlsFolder: read.optional('TOCSIN_TLS_DIR'),
    drainMs: 1_000 * read.integer('TOCSIN_DRAIN_S', { min: 1, max: 600 }, 20),
  };
}
