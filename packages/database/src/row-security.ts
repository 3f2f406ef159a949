/**
 * Returns SQL for a policy that restricts transactions, even the table owner's, to rows of their organization. It is a
 * second safeguard: every query also has the condition itself.
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

/** The rows that a transaction may see: those of one organization, or all, for work across organizations. */
export type Scope = { readonly organizationId: string } | 'every organization';

/** Session variables that the policies above read. */
export function scopeVariables(scope: Scope) {
  return scope === 'every organization'
    ? { 'tocsin.every_organization': 'on', 'tocsin.organization': '' }
    : { 'tocsin.every_organization': 'off', 'tocsin.organization': scope.organizationId };
}
