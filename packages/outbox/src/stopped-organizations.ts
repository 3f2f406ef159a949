import { type Database, dueAtOnceIf, LONG_STATEMENTS, type Transaction } from '@tocsin/database';

/** State of an organization in `stopped_organization`. */
export type StoppedState = 'stopped' | 'resuming' | 'deleting' | 'deleted';

/** Hooks that a service runs when identity stops, resumes or deletes an organization. Each runs in a transaction. */
export interface OrganizationHooks {
  /** Stops all work for an organization at once. Runs in the transaction that handles the event. */
  stop?(tx: Transaction, organizationId: string): Promise<void>;
  /** Undoes a part of what `stop` did. Returns the number of changes; 0 when everything is undone. */
  resume?(tx: Transaction, organizationId: string): Promise<number>;
  /**
   * Deletes some of the rows that must be deleted before all other rows: rows of partitioned tables, and rows that
   * refer to other rows of the same table. Returns the number of deleted rows; 0 when none are left.
   */
  deleteFirst?(tx: Transaction, organizationId: string): Promise<number>;
  /**
   * Deletes rows of the organization in tables without a column `organization_id`. Runs after all other rows are
   * deleted.
   */
  deleteLast?(tx: Transaction, organizationId: string): Promise<void>;
}

/** Number of rows of a table that one transaction deletes. */
const BATCH = 2_000;

/**
 * How long the record of a deleted organization is stored, in milliseconds. This exceeds the retention of the event
 * stream, so the record still exists when a late event of the organization or a repeated deletion event is delivered.
 * Rows that late events add are deleted together with the record.
 */
const REMEMBERED_MS = 8 * 86_400_000;

/** Records that an organization is stopped, is being resumed, or is being deleted. */
export async function saveStoppedState(
  tx: Transaction,
  { organizationId, state, at }: { organizationId: string; state: StoppedState; at: Date },
): Promise<void> {
  await tx.query(
    `insert into stopped_organization (organization_id, state, changed_at) values ($1, $2, $3)
     on conflict (organization_id) do update set state = excluded.state, changed_at = excluded.changed_at`,
    [organizationId, state, at],
  );
}

/** SQL condition for an organization that advanceOrganizations() advances; `$1` is the time. */
const DUE = `(state in ('resuming', 'deleting')
  or state = 'deleted' and changed_at < $1::timestamptz - make_interval(secs => ${REMEMBERED_MS / 1_000}))`;

/** SQL expression for the time at which advanceOrganizations() has work; `$1` is the time. */
export const ORGANIZATIONS_DUE = dueAtOnceIf(`exists (select from stopped_organization where ${DUE})`);

/** Maximum number of organizations in one call of advanceOrganizations(). */
const MAX_ORGANIZATIONS = 1_000;

/**
 * Performs one step for each organization that is being resumed or deleted. Deletes the last traces of
 * organizations that were deleted long ago. A failure for one organization does not delay the others.
 * @returns 'again' if there may be more to do.
 * @throws the error of the first organization that failed, if no step of another organization succeeded.
 */
export async function advanceOrganizations(
  database: Database,
  hooks: OrganizationHooks,
  now: Date,
): Promise<'again' | 'done'> {
  const due = await database.read<{ organization_id: string }>(
    'every organization',
    `select organization_id from stopped_organization where ${DUE} order by changed_at limit $2`,
    [now, MAX_ORGANIZATIONS],
  );
  let hasAdvanced = false;
  let failure: { error: unknown } | undefined;
  for (const { organization_id: organizationId } of due) {
    try {
      hasAdvanced = (await advance(database, hooks, { organizationId, now })) || hasAdvanced;
    } catch (error) {
      failure ??= { error };
    }
  }
  if (hasAdvanced) return 'again';
  if (failure) throw failure.error;
  return 'done';
}

/** Advances one organization. Returns false if another replica is doing this or has done it. */
async function advance(
  database: Database,
  hooks: OrganizationHooks,
  { organizationId, now }: { organizationId: string; now: Date },
): Promise<boolean> {
  const step = async (tx: Transaction) => {
    const [due] = await tx.query<{ state: 'resuming' | 'deleting' | 'deleted' }>(
      `select state from stopped_organization where ${DUE} and organization_id = $2 for update skip locked`,
      [now, organizationId],
    );
    if (!due) return false;
    const { state } = due;
    if (state === 'resuming') {
      if (((await hooks.resume?.(tx, organizationId)) ?? 0) === 0) await forget(tx, organizationId);
      return true;
    }
    const deleted = ((await hooks.deleteFirst?.(tx, organizationId)) ?? 0) || (await deleteRows(tx, organizationId));
    if (deleted > 0) return true;
    await hooks.deleteLast?.(tx, organizationId);
    if (state === 'deleting') await saveStoppedState(tx, { organizationId, state: 'deleted', at: now });
    else {
      await tx.query('delete from inbox where aggregate_id = $1', [organizationId]);
      await tx.query('delete from outbox_sequence where aggregate_id = $1', [organizationId]);
      await forget(tx, organizationId);
    }
    return true;
  };
  return database.transaction('every organization', step, LONG_STATEMENTS);
}

async function forget(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query('delete from stopped_organization where organization_id = $1', [organizationId]);
}

/** Deletes up to BATCH rows of an organization from the first table that has any, and returns their number. */
async function deleteRows(tx: Transaction, organizationId: string): Promise<number> {
  for (const table of await tablesOfOrganizations(tx)) {
    const rows = await tx.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where organization_id = $1 limit $2))
       returning 1`,
      [organizationId, BATCH],
    );
    if (rows.length > 0) return rows.length;
  }
  return 0;
}

/**
 * Returns the tables whose rows belong to organizations, each before the tables to which it refers. Partitioned tables
 * are left out, because deleting by organization would read all their rows. The outbox and the published events are
 * also left out, because the relay deletes their rows after an hour at the latest.
 */
export async function tablesOfOrganizations(tx: Transaction): Promise<string[]> {
  const rows = await tx.query<{ name: string; parents: string[] }>(
    `select quote_ident(c.relname) as name,
       array(select distinct quote_ident(p.relname) from pg_constraint f join pg_class p on p.oid = f.confrelid
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
       and c.relname not in ('stopped_organization', 'outbox', 'published_event') order by c.relname`,
  );
  const parents = new Map(rows.map((row) => [row.name, row.parents]));
  const sorted = new Set<string>();
  const add = (name: string): void => {
    if (sorted.has(name)) return;
    for (const parent of parents.get(name) ?? []) if (parents.has(parent)) add(parent);
    sorted.add(name);
  };
  for (const name of parents.keys()) add(name);
  return [...sorted].reverse();
}
