import type {} from 'vitest';

declare module 'vitest' {
  /**
   * Values that the global setup (`test/setup.ts`) provides for a whole run. Test files read these values with
   * `inject()`.
   */
  interface ProvidedContext {
    /** URL of the PostgreSQL server of the run, with a superuser as the role. */
    postgresUrl: string;
    /** Path of the nats-server binary. */
    natsServer: string;
    /** Path of a folder for temporary data, which is removed after the run. */
    runFolder: string;
  }
}
