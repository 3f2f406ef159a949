import type { Transaction } from '@tocsin/database';
import { FairSlots } from '@tocsin/runtime';
import type { Deps } from './ports.ts';

/**
 * Limits on concurrent transactions that record the outcomes of attempts. They are fewer than the database connections.
 * When a channel breaks, the transaction may send many alerts to the fallback. Meanwhile, the transactions of the
 * channel's other attempts wait for its row, each with a connection.
 */
const SLOTS = { slots: 8, perTenant: 4, perTenantOfSeveral: 2, waitingPerTenant: 1_000, waiting: 10_000 };

/** Slots for transactions that record the outcomes of attempts. */
export type RecordingSlots = FairSlots;

export function createRecordingSlots(): RecordingSlots {
  return new FairSlots(SLOTS);
}

/** Runs a transaction that records the outcome of an attempt, when it is the organization's turn. */
export function recordInTurn<Result>(
  { database, recordingSlots }: Pick<Deps, 'database' | 'recordingSlots'>,
  organizationId: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return recordingSlots.run(organizationId, () => database.transaction({ organizationId }, work));
}
