import { LockMode } from '@mikro-orm/core';
import type { Transaction } from '@tocsin/database';
import { type Disruption, isOpen, type OpenDisruption } from '../domain/disruption.ts';
import { toComponentRows, toDomain, toRow, toUpdateRows } from './disruption-row.ts';
import { ComponentEntity, DisruptionEntity, type DisruptionRow, UpdateEntity } from './schema.ts';

export async function findDisruption(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<Disruption | undefined> {
  const row = await tx.em.findOne(DisruptionEntity, { id, organizationId });
  if (!row) return undefined;
  const [disruption] = await assemble(tx, organizationId, [row]);
  return disruption;
}

/** Newest first. */
export async function listDisruptions(tx: Transaction, organizationId: string): Promise<Disruption[]> {
  return assemble(
    tx,
    organizationId,
    await tx.em.find(DisruptionEntity, { organizationId }, { orderBy: { id: 'desc' } }),
  );
}

/** A monitor's open automatic disruption; nobody else may change it until the transaction ends. */
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
  if (!row) return undefined;
  const [disruption] = await assemble(tx, organizationId, [row]);
  return disruption && isOpen(disruption) ? disruption : undefined;
}

export async function insertDisruption(tx: Transaction, disruption: Disruption): Promise<void> {
  await tx.em.insert(DisruptionEntity, toRow(disruption));
  await tx.em.insertMany(UpdateEntity, toUpdateRows(disruption));
  await tx.em.insertMany(ComponentEntity, toComponentRows(disruption));
}

/** Writes a changed disruption. Its timeline only grows; its components are replaced. */
export async function saveDisruption(tx: Transaction, disruption: Disruption): Promise<void> {
  const { id, organizationId } = disruption;
  await tx.em.nativeUpdate(DisruptionEntity, { id, organizationId }, toRow(disruption));
  await tx.em.upsertMany(UpdateEntity, toUpdateRows(disruption), { onConflictAction: 'ignore' });
  await tx.em.nativeDelete(ComponentEntity, { disruptionId: id, organizationId });
  await tx.em.insertMany(ComponentEntity, toComponentRows(disruption));
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
