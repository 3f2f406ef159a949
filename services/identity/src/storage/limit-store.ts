import type { Transaction } from '@tocsin/database';
import type { LimitName } from '@tocsin/enums';
import type { Tables } from './tables.ts';

/** Returns the limits that the operator set for an organization, by name. */
export async function listLimits(tx: Transaction, organizationId: string): Promise<Record<string, number>> {
  const rows = await tx.query<Pick<Tables['organization_limit'], 'name' | 'value'>>(
    'select name, value from organization_limit where organization_id = $1 order by name',
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Sets a limit for an organization. Undefined deletes the limit, so that the default applies. */
export async function saveLimit(
  tx: Transaction,
  organizationId: string,
  name: LimitName,
  value: number | undefined,
): Promise<void> {
  if (value === undefined) {
    await tx.query('delete from organization_limit where organization_id = $1 and name = $2', [organizationId, name]);
    return;
  }
  await tx.query(
    `insert into organization_limit values ($1, $2, $3)
     on conflict (organization_id, name) do update set value = excluded.value`,
    [organizationId, name, value],
  );
}
