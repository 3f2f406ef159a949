import { type Database, dueAtOnceIf } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import type { TokenVerifier } from '@tocsin/runtime';
import type { Loop } from './loops.ts';

/** Interval at which the stopped organizations are read while there are any, in milliseconds. */
const READ_EVERY_MS = 2_000;

export interface RefuseStoppedOptions {
  readonly database: Database;
  readonly verifier: TokenVerifier;
  /** SQL for the ids of the stopped organizations, in a column `id`. */
  readonly stoppedSql?: string;
}

export interface RefusingVerifier extends TokenVerifier {
  /** Loop that reads the stopped organizations. The caller has to start it. */
  readonly loop: Loop;
}

/**
 * Returns a verifier that refuses the credentials of stopped organizations. Without it, their tokens would be accepted
 * for some minutes after the stop. Calls that a service makes for these organizations are still accepted.
 */
export function refuseStopped({
  database,
  verifier,
  stoppedSql = `select organization_id as id from stopped_organization where state <> 'resuming'`,
}: RefuseStoppedOptions): RefusingVerifier {
  let stopped: ReadonlySet<string> = new Set();
  return {
    async verify(token, audience) {
      const caller = await verifier.verify(token, audience);
      if (caller.kind === 'credential' && stopped.has(caller.organizationId)) {
        throw new ServiceError('forbidden', 'the organization is stopped');
      }
      return caller;
    },
    loop: {
      name: 'reading stopped organizations',
      everyMs: READ_EVERY_MS,
      dueSql: dueAtOnceIf(`exists (${stoppedSql})`),
      async run() {
        const rows = await database.read<{ id: string }>('every organization', stoppedSql);
        stopped = new Set(rows.map(({ id }) => id));
        // The end of the last stop is noticed only by reading again.
        return stopped.size > 0 ? { dueInMs: READ_EVERY_MS } : 'done';
      },
    },
  };
}
