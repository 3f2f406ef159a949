import type { Transaction } from '@tocsin/database';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Tables } from '../tables.ts';

/**
 * Returns the sealed secrets of the given monitors, by monitor id. The monitors may belong to any organization that the
 * transaction can read.
 */
export async function findSealedSecrets(tx: Transaction, monitorIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<Pick<Tables['monitor_secrets'], 'monitor_id' | 'sealed'>>(
    'select monitor_id, sealed from monitor_secrets where monitor_id = any($1)',
    [monitorIds],
  );
  return new Map(rows.map((row) => [row.monitor_id, row.sealed]));
}

export async function saveSealedSecrets(tx: Transaction, monitor: Monitor, sealed: string): Promise<void> {
  await tx.query(
    `insert into monitor_secrets (monitor_id, organization_id, sealed) values ($1, $2, $3)
     on conflict (monitor_id) do update set sealed = excluded.sealed`,
    [monitor.id, monitor.organizationId, sealed],
  );
}

export async function deleteSecrets(tx: Transaction, monitorId: string): Promise<void> {
  await tx.query('delete from monitor_secrets where monitor_id = $1', [monitorId]);
}
