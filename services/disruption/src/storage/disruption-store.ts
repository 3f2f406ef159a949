import { LockMode } from '@mikro-orm/core';
import { type LimitedRows, type Transaction, violatedConstraint } from '@tocsin/database';
import type { DisruptionType } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { MAX_PART_BYTES, type Paging, type Part, withinPartBytes } from '@tocsin/paging';
import { writeCursor } from '@tocsin/text';
import type { AffectedComponent } from '../domain/component.ts';
import {
  type Disruption,
  type DisruptionStatus,
  type DisruptionUpdate,
  isOpen,
  type OpenDisruption,
} from '../domain/disruption.ts';
import {
  type StoredComponent,
  type StoredUpdate,
  toComponentRows,
  toDomain,
  toRow,
  toUpdateRows,
} from './disruption-row.ts';
import { ComponentEntity, DisruptionEntity, type DisruptionRow, UpdateEntity } from './schema.ts';

/**
 * Disruptions that count toward the organization's limit. Automatic disruptions do not count, because other rules
 * limit them and they are deleted after their retention period.
 */
export const DISRUPTION_ROWS: LimitedRows = { limit: 'disruptions', table: 'disruption', where: 'not auto_created' };

export async function findDisruption(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<Disruption | undefined> {
  return assembleOne(tx, organizationId, await tx.em.findOne(DisruptionEntity, { id, organizationId }));
}

/**
 * Returns a disruption, and locks it until the transaction ends. With `skip`, returns undefined if another transaction
 * has locked the disruption.
 */
export async function lockDisruption(
  tx: Transaction,
  organizationId: string,
  id: string,
  whenLocked: 'wait' | 'skip' = 'wait',
): Promise<Disruption | undefined> {
  const lockMode = whenLocked === 'skip' ? LockMode.PESSIMISTIC_PARTIAL_WRITE : LockMode.PESSIMISTIC_WRITE;
  return assembleOne(tx, organizationId, await tx.em.findOne(DisruptionEntity, { id, organizationId }, { lockMode }));
}

/** Filter for a list. An absent field accepts every disruption. */
export interface DisruptionFilter {
  readonly status: DisruptionStatus | undefined;
  readonly type: DisruptionType | undefined;
  readonly autoCreated: boolean | undefined;
}

/** Returns one page of an organization's disruptions that match the filter, newest first. */
export async function listDisruptions(
  tx: Transaction,
  organizationId: string,
  { status, type, autoCreated }: DisruptionFilter,
  paging: Paging,
): Promise<Part<Disruption>> {
  const { before, limit } = paging;
  const where = {
    organizationId,
    ...(status && { status }),
    ...(type && { type }),
    ...(autoCreated !== undefined && { autoCreated }),
    ...(before && { id: { $lt: before } }),
  };
  const rows = await tx.em.find(DisruptionEntity, where, {
    orderBy: { id: 'desc' },
    limit: limit + 1,
  });
  const page = await withinBytes(tx, rows.slice(0, limit));
  const items = await assemble(tx, organizationId, page);
  return { items, nextCursor: page.length < rows.length ? writeCursor(page.at(-1)?.id) : undefined };
}

/** Estimated size in bytes, in a response, of the fields of a row that sizesOf() does not measure. */
const ROW_BYTES = 200;

/** Maximum number of disruptions whose sizes one query computes. The query reads up to 1,000 components of each. */
const SIZES_AT_ONCE = 100;

/**
 * Returns as many of the first rows as fit into one response with their timelines and affected components. Reads only
 * the sizes of these, and only until the response is full.
 */
async function withinBytes<Row extends { readonly id: string }>(tx: Transaction, rows: readonly Row[]): Promise<Row[]> {
  const bytesOf = new Map<string, number>();
  let total = 0;
  for (let start = 0; start < rows.length && total < MAX_PART_BYTES; start += SIZES_AT_ONCE) {
    const ids = rows.slice(start, start + SIZES_AT_ONCE).map(({ id }) => id);
    for (const { id, bytes } of await sizesOf(tx, ids)) {
      bytesOf.set(id, bytes);
      total += bytes;
    }
  }
  return withinPartBytes(rows, ({ id }) => bytesOf.get(id) ?? 0);
}

/** Returns the size in bytes of each of these disruptions with its timeline and affected components. */
async function sizesOf(tx: Transaction, ids: readonly string[]): Promise<{ id: string; bytes: number }[]> {
  return tx.query(
    `select id, sum(bytes + ${ROW_BYTES}) as bytes from (
       select id, octet_length(title) + octet_length(status_page_ids::text) as bytes
       from disruption where id = any($1::uuid[])
       union all
       select disruption_id, octet_length(body) + coalesce(octet_length(explanation), 0) + octet_length(posted_by)
       from disruption_update where disruption_id = any($1::uuid[])
       union all
       select disruption_id, octet_length(name) from affected_component where disruption_id = any($1::uuid[])
     ) as part group by id`,
    [ids],
  );
}

/** Returns a monitor's open automatic disruption, and locks it until the transaction ends. */
export async function lockOpenAutomatic(
  tx: Transaction,
  organizationId: string,
  monitorId: string,
): Promise<OpenDisruption | undefined> {
  const row = await tx.em.findOne(
    DisruptionEntity,
    { organizationId, monitorId, autoCreated: true, resolvedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const disruption = await assembleOne(tx, organizationId, row);
  return disruption && isOpen(disruption) ? disruption : undefined;
}

/**
 * Returns the ids of the components that the open automatic disruptions of an organization have, by monitor, sorted by
 * monitor.
 */
export async function listOpenAutomatic(
  tx: Transaction,
  organizationId: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await tx.query<{ monitor_id: string; component_ids: string[] }>(
    `select d.monitor_id, array(
       select c.component_id::text from affected_component c where c.disruption_id = d.id
     ) as component_ids
     from disruption d
     where d.organization_id = $1 and d.auto_created and d.resolved_at is null and d.monitor_id is not null
     order by d.monitor_id`,
    [organizationId],
  );
  return new Map(rows.map((row) => [row.monitor_id, new Set(row.component_ids)]));
}

/**
 * Returns the ids and names of a page's components that open disruptions of an organization contain. A component whose
 * name differs between disruptions is returned once with each name.
 */
export async function listOpenComponents(
  tx: Transaction,
  organizationId: string,
  statusPageId: string,
): Promise<NamedComponent[]> {
  return tx.query(
    `select distinct c.component_id as id, c.name
     from disruption d join affected_component c on c.disruption_id = d.id
     where d.organization_id = $1 and d.resolved_at is null and c.status_page_id = $2`,
    [organizationId, statusPageId],
  );
}

/** Returns the components of a disruption that has ended; empty if the disruption does not exist or is open. */
export async function listEndedComponents(
  tx: Transaction,
  organizationId: string,
  disruptionId: string,
): Promise<Omit<AffectedComponent, 'status'>[]> {
  return tx.query(
    `select c.component_id as id, c.name, c.status_page_id as "statusPageId"
     from disruption d join affected_component c on c.disruption_id = d.id
     where d.organization_id = $1 and d.id = $2 and d.resolved_at is not null`,
    [organizationId, disruptionId],
  );
}

/**
 * Returns the ids of up to `limit` open disruptions that contain any of the given components under the given name,
 * newest first.
 */
export async function listOutdated(
  tx: Transaction,
  organizationId: string,
  components: readonly NamedComponent[],
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select d.id from disruption d
     where d.organization_id = $1 and d.resolved_at is null and exists (
       select from affected_component c join unnest($2::uuid[], $3::text[]) as old(id, name)
         on c.component_id = old.id and c.name = old.name
       where c.disruption_id = d.id)
     order by d.id desc limit $4`,
    [organizationId, components.map(({ id }) => id), components.map(({ name }) => name), limit],
  );
  return rows.map(({ id }) => id);
}

type NamedComponent = Pick<AffectedComponent, 'id' | 'name'>;

/** Waits until every transaction that holds the lock of shareLinks() or takeLinks() has ended. */
export async function awaitOpening(tx: Transaction, organizationId: string): Promise<void> {
  // One statement takes the lock and releases it, so that it does not remain with the connection.
  await tx.query(
    `with locked as materialized (select pg_advisory_lock(hashtextextended($1, 0)))
     select pg_advisory_unlock(hashtextextended($1, 0)) from locked`,
    [linksKey(organizationId)],
  );
}

const SHARE_LINKS = 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))';

/**
 * Takes a shared lock until the current transaction ends. A transaction takes it before it reads components from
 * statuspage and saves them in a disruption. awaitOpening() waits for it. The lock is taken before the result of the
 * next query.
 */
export function shareLinks(tx: Transaction, organizationId: string): void {
  tx.send(SHARE_LINKS, [linksKey(organizationId)]);
}

/** Takes the lock of shareLinks(), and waits until it is taken. */
export async function takeLinks(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query(SHARE_LINKS, [linksKey(organizationId)]);
}

const linksKey = (organizationId: string) => `links ${organizationId}`;

/** SQL expression for the time at which listDue() finds a maintenance. */
export const MAINTENANCE_DUE = '(select min(due_at) from disruption)';

/** Returns the maintenances that are due, the most overdue first. Needs a transaction across organizations. */
export async function listDue(
  tx: Transaction,
  now: Date,
  limit: number,
): Promise<{ organizationId: string; id: string }[]> {
  return tx.query(
    'select organization_id as "organizationId", id from disruption where due_at <= $1 order by due_at limit $2',
    [now, limit],
  );
}

/** Returns up to `limit` automatic disruptions that ended before a time. Needs a transaction across organizations. */
export async function listAutomaticEndedBefore(
  tx: Transaction,
  before: Date,
  limit: number,
): Promise<{ organizationId: string; id: string }[]> {
  return tx.query(
    `select organization_id as "organizationId", id from disruption
     where auto_created and resolved_at < $1 order by resolved_at limit $2`,
    [before, limit],
  );
}

export async function insertDisruption(tx: Transaction, disruption: Disruption): Promise<void> {
  await tx.em.insert(DisruptionEntity, toRow(disruption));
  await tx.em.insertMany(UpdateEntity, toUpdateRows(disruption));
  await tx.em.insertMany(ComponentEntity, toComponentRows(disruption));
}

/**
 * Saves a changed disruption: adds new timeline entries and replaces its components.
 * @throws ServiceError `conflict` if an automatic disruption is reopened while its monitor has another open one.
 */
export async function saveDisruption(tx: Transaction, disruption: Disruption): Promise<void> {
  const { id, organizationId } = disruption;
  await orConflict(tx.em.nativeUpdate(DisruptionEntity, { id, organizationId }, toRow(disruption)));
  const stored = await tx.query<{ id: string }>('select id from disruption_update where disruption_id = $1', [id]);
  const known = new Set(stored.map((row) => row.id));
  await tx.em.insertMany(
    UpdateEntity,
    toUpdateRows(disruption).filter((row) => !known.has(row.id)),
  );
  await tx.em.nativeDelete(ComponentEntity, { disruptionId: id, organizationId });
  await tx.em.insertMany(ComponentEntity, toComponentRows(disruption));
}

/** Saves the changed text of a timeline entry. */
export async function saveUpdate(
  tx: Transaction,
  { organizationId }: Disruption,
  { id, body, automatic, automaticText, editedAt }: DisruptionUpdate,
): Promise<void> {
  await tx.em.nativeUpdate(
    UpdateEntity,
    { id, organizationId },
    { body, automatic, automaticText: automaticText ?? null, editedAt: editedAt ?? null },
  );
}

/** Deletes a timeline entry. */
export async function removeUpdate(tx: Transaction, { organizationId }: Disruption, id: string): Promise<void> {
  await tx.em.nativeDelete(UpdateEntity, { id, organizationId });
}

/** Deletes a disruption with its timeline and components. */
export async function deleteDisruption(tx: Transaction, { organizationId, id }: Disruption): Promise<void> {
  await tx.em.nativeDelete(DisruptionEntity, { id, organizationId });
}

async function orConflict(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (cause) {
    if (violatedConstraint(cause) !== 'disruption_open_automatic') throw cause;
    const words = 'the monitor has another open disruption: resolve that one first, or go on with it';
    throw new ServiceError('conflict', words, { cause });
  }
}

async function assembleOne(
  tx: Transaction,
  organizationId: string,
  row: DisruptionRow | null,
): Promise<Disruption | undefined> {
  const [disruption] = row ? await assemble(tx, organizationId, [row]) : [];
  return disruption;
}

async function assemble(
  tx: Transaction,
  organizationId: string,
  rows: readonly DisruptionRow[],
): Promise<Disruption[]> {
  if (rows.length === 0) return [];
  // The updates and components are read with plain SQL, because the ORM needs more time and memory for each row.
  const ofThese = [organizationId, rows.map(({ id }) => id)];
  const updates = await tx.query<StoredUpdate>(
    `select id, disruption_id, status, body, explanation, automatic, automatic_text, posted_at, posted_by, edited_at,
            silent
     from disruption_update where organization_id = $1 and disruption_id = any($2::uuid[])
     order by posted_at desc, id desc`,
    ofThese,
  );
  const components = await tx.query<StoredComponent>(
    `select disruption_id, component_id, name, status_page_id, status
     from affected_component where organization_id = $1 and disruption_id = any($2::uuid[]) order by position`,
    ofThese,
  );
  const updatesOf = Map.groupBy(updates, ({ disruption_id }) => disruption_id);
  const componentsOf = Map.groupBy(components, ({ disruption_id }) => disruption_id);
  return rows.map((row) => toDomain(row, updatesOf.get(row.id) ?? [], componentsOf.get(row.id) ?? []));
}
