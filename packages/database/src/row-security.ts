/**
 * Returns SQL that restricts transactions, even the table owner's, to rows of their organization.
 * Stands behind the explicit conditions of every query; it is the second lock, not the first.
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

/** Whose rows a transaction may see: one organization's, or (for work that crosses organizations) everybody's. */
export type Scope = { readonly organizationId: string } | 'every organization';

/** Session variables that the policies above read. */
export function scopeVariables(scope: Scope) {
  return scope === 'every organization'
    ? { 'tocsin.every_organization': 'on', 'tocsin.organization': '' }
    : { 'tocsin.every_organization': 'off', 'tocsin.organization': scope.organizationId };
}
