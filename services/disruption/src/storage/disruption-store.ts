import { LockMode } from '@mikro-orm/core';
import { type LimitedRows, type Transaction, violatedConstraint } from '@tocsin/database';
import type { DisruptionType } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { type Paging, type Part, withinPartBytes } from '@tocsin/paging';
import { writeCursor } from '@tocsin/text';
import {
  type Disruption,
  type DisruptionStatus,
  type DisruptionUpdate,
  isOpen,
  type OpenDisruption,
} from '../domain/disruption.ts';
import { toComponentRows, toDomain, toRow, toUpdateRows } from './disruption-row.ts';
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

/**
 * Returns as many of the first rows as fit into one response with their timelines. Reads only the sizes of the
 * timelines.
 */
async function withinBytes<Row extends { readonly id: string }>(tx: Transaction, rows: readonly Row[]): Promise<Row[]> {
  const sizes = await tx.query<{ id: string; bytes: number }>(
    `select disruption_id as id, sum(octet_length(body))::integer as bytes from disruption_update
     where disruption_id = any($1::uuid[]) group by disruption_id`,
    [rows.map(({ id }) => id)],
  );
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  return withinPartBytes(rows, ({ id }) => bytesOf.get(id) ?? 0);
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

/** Returns the monitors of an organization that have an open automatic disruption. */
export async function listOpenAutomatic(tx: Transaction, organizationId: string): Promise<string[]> {
  const rows = await tx.query<{ monitor_id: string }>(
    `select monitor_id from disruption
     where organization_id = $1 and auto_created and resolved_at is null and monitor_id is not null
     order by monitor_id`,
    [organizationId],
  );
  return rows.map((row) => row.monitor_id);
}

/**
 * Waits until no other transaction is opening an automatic disruption of the organization. Until the current
 * transaction ends, other transactions wait before they open one.
 */
export async function lockLinks(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [linksKey(organizationId)]);
}

/**
 * Takes the lock of lockLinks() in shared mode. Waits until no other transaction holds the lock exclusively, and blocks
 * calls of lockLinks() until the current transaction ends. Several transactions may share the lock.
 */
export async function shareLinks(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [linksKey(organizationId)]);
}

const linksKey = (organizationId: string) => `links ${organizationId}`;

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
  const ofThese = { organizationId, disruptionId: { $in: rows.map(({ id }) => id) } };
  const updates = await tx.em.find(UpdateEntity, ofThese, { orderBy: { postedAt: 'desc', id: 'desc' } });
  const components = await tx.em.find(ComponentEntity, ofThese, { orderBy: { position: 'asc' } });
  const updatesOf = Map.groupBy(updates, ({ disruptionId }) => disruptionId);
  const componentsOf = Map.groupBy(components, ({ disruptionId }) => disruptionId);
  return rows.map((row) => toDomain(row, updatesOf.get(row.id) ?? [], componentsOf.get(row.id) ?? []));
}
