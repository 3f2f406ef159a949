import { escapeLiteral } from 'pg';

/**
 * Returns SQL for a policy that restricts transactions to rows of their organization, including the transactions of the
 * table's owner. The policy is a second safeguard, because every query also contains this condition.
 */
export function protectByOrganization(table: string): string {
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy organization_only on ${table} using (
      current_setting('tocsin.every_organization', true) = 'on'
      or organization_id = nullif(current_setting('tocsin.organization', true), '')::uuid
    );`;
}

/**
 * Returns SQL that replaces the policy of protectByOrganization() by one that reads the session variables once for each
 * statement instead of once for each row. It restricts transactions to the same rows. It is faster for statements that
 * read more than about twenty rows, and a bit slower for others.
 */
export function protectManyRows(table: string): string {
  return `
    alter policy organization_only on ${table} using (
      (select current_setting('tocsin.every_organization', true)) = 'on'
      or organization_id = (select nullif(current_setting('tocsin.organization', true), '')::uuid)
    );`;
}

/** Rows that a transaction may see: the rows of one organization, or all rows. */
export type Scope = { readonly organizationId: string } | 'every organization';

/** Returns SQL that sets the session variables that the policies read, until the transaction ends. */
export function setScopeSql(scope: Scope): string {
  const variables =
    scope === 'every organization'
      ? { every_organization: 'on', organization: '' }
      : { every_organization: 'off', organization: scope.organizationId };
  return Object.entries(variables)
    .map(([name, value]) => `set local tocsin.${name} to ${escapeLiteral(value)}`)
    .join('; ');
}
