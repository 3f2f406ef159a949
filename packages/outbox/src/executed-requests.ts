import type { Database, Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';

/** A request that may be repeated. */
export interface Repeatable {
  /** UUID that is the same for each repeat of the request; absent if the request can't be repeated safely. */
  readonly idempotencyId?: string | undefined;
}

/** A request that a transaction carries out. */
export interface ExecutedRequest extends Repeatable {
  /** Ids of what the request creates or changes. */
  readonly resourceIds: readonly string[];
}

/**
 * Records requests in the transaction that carries them out. If an earlier transaction has carried out one of them, the
 * current one fails, and executeOnce() finds the earlier one. If an earlier one is still open, the current one waits
 * for it. Costs no round trip (see Transaction.send), and nothing for requests that can't be repeated safely.
 */
export function recordRequests(
  tx: Transaction,
  organizationId: string,
  requests: readonly ExecutedRequest[],
  now: Date,
): void {
  const rows = requests.flatMap(({ idempotencyId: id, resourceIds }) =>
    id === undefined ? [] : [{ id, resource_ids: resourceIds }],
  );
  if (rows.length === 0) return;
  // Transactions with the same requests insert them in the same order, so that they do not deadlock.
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  tx.send(
    `insert into executed_request (organization_id, id, resource_ids, executed_at)
     select $1::uuid, id, resource_ids, $3::timestamptz from json_populate_recordset(null::executed_request, $2)`,
    [organizationId, JSON.stringify(rows), now],
  );
}

/**
 * Runs `execute`, whose transaction records the request with recordRequests(). If it fails, for whatever reason, and an
 * earlier execution of the request has committed, returns what `find` returns for the `resourceIds` of that execution.
 * So a request that filled a quota, took a name, or lost its response during the commit succeeds when it is repeated.
 * @throws the error of `execute` if there was no earlier execution; ServiceError `conflict` if `find` throws
 * `not_found`, because what the request created was deleted since.
 */
export async function executeOnce<Result>(
  { database }: { readonly database: Pick<Database, 'transaction'> },
  { organizationId, idempotencyId }: Repeatable & { readonly organizationId: string },
  execute: () => Promise<Result>,
  find: (resourceIds: readonly string[]) => Promise<Result>,
): Promise<Result> {
  if (idempotencyId === undefined) return execute();
  try {
    return await execute();
  } catch (error) {
    const earlier = await database
      .transaction({ organizationId }, (tx) => findResources(tx, organizationId, idempotencyId))
      .catch(() => undefined);
    if (!earlier) throw error;
    return await find(earlier).catch((missing: unknown) => {
      throw missing instanceof ServiceError && missing.kind === 'not_found' ? deletedSince(missing) : missing;
    });
  }
}

function deletedSince(cause: ServiceError): ServiceError {
  const message =
    'this request was executed before, and what it created was deleted since; to execute it again, use a new idempotency key';
  return new ServiceError('conflict', message, { cause });
}

async function findResources(
  tx: Transaction,
  organizationId: string,
  idempotencyId: string,
): Promise<readonly string[] | undefined> {
  const [row] = await tx.query<{ resource_ids: string[] }>(
    'select resource_ids from executed_request where organization_id = $1 and id = $2',
    [organizationId, idempotencyId],
  );
  return row?.resource_ids;
}

/**
 * Milliseconds for which an executed request is stored. The gateway repeats a request under the same id for up to a day
 * after its first attempt.
 */
const STORED_MS = 2 * 86_400_000;

/** Maximum number of requests in one call of deleteExecutedRequests(). */
const BATCH = 10_000;

/** SQL expression for the time at which deleteExecutedRequests() has work. */
export const EXECUTED_REQUESTS_DUE = `(select min(executed_at) from executed_request) + make_interval(secs => ${STORED_MS / 1_000})`;

/**
 * Deletes the oldest requests that can't be repeated any more.
 * @returns 'again' if there may be more to delete.
 */
export async function deleteExecutedRequests(database: Database, now: Date): Promise<'again' | 'done'> {
  const deleted = await database.transaction('every organization', (tx) =>
    tx.query(
      `delete from executed_request where ctid = any(array(
         select ctid from executed_request where executed_at <= $1 order by executed_at limit $2 for update skip locked))
       returning 1`,
      [new Date(now.getTime() - STORED_MS), BATCH],
    ),
  );
  return deleted.length < BATCH ? 'done' : 'again';
}
