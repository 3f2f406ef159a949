import type { Database } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { type Runtime, startLoop, type TokenVerifier } from '@tocsin/runtime';

/** Interval at which the stopped organizations are read, in milliseconds. */
const READ_EVERY_MS = 2_000;

export interface RefuseStoppedOptions {
  readonly database: Database;
  readonly runtime: Runtime;
  readonly verifier: TokenVerifier;
  /** SQL for the ids of the stopped organizations, in a column `id`. */
  readonly stoppedSql?: string;
}

/**
 * Returns a verifier that refuses the credentials of stopped organizations. Without it, their tokens would be accepted
 * for some minutes after the stop. Calls that a service makes for these organizations are still accepted.
 */
export function refuseStopped({
  database,
  runtime,
  verifier,
  stoppedSql = `select organization_id as id from stopped_organization where state <> 'resuming'`,
}: RefuseStoppedOptions): TokenVerifier & AsyncDisposable {
  let stopped: ReadonlySet<string> = new Set();
  const reading = startLoop('reading stopped organizations', READ_EVERY_MS, runtime, async () => {
    const rows = await database.read<{ id: string }>('every organization', stoppedSql);
    stopped = new Set(rows.map(({ id }) => id));
    return 'done';
  });
  return {
    async verify(token, audience) {
      const caller = await verifier.verify(token, audience);
      if (caller.kind === 'credential' && stopped.has(caller.organizationId)) {
        throw new ServiceError('forbidden', 'the organization is stopped');
      }
      return caller;
    },
    [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose](),
  };
}
