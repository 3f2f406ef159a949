import type {} from 'vitest';

declare module 'vitest' {
  /** What the global setup (`test/setup.ts`) starts once for a whole run, for `inject()` in test files. */
  interface ProvidedContext {
    /** The superuser's URL of the run's PostgreSQL. */
    postgresUrl: string;
    /** Path of the nats-server binary. */
    natsServer: string;
    /** A folder for temporary data, removed after the run. */
    runFolder: string;
  }
}
