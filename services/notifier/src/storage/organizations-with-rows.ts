/**
 * Returns the beginning of a query: the common table expression `organization` with the `id` of each organization that
 * has rows in a table, and a last row without an id. Its recursion reads one index entry for each organization,
 * regardless of the number of rows.
 *
 * @param condition SQL condition for the rows, if the index is partial.
 */
export function withOrganizations(table: string, condition = 'true'): string {
  return `with recursive organization as (
    (select organization_id as id from ${table} where ${condition} order by organization_id limit 1)
    union all
    select (select t.organization_id from ${table} t where ${condition} and t.organization_id > organization.id
            order by t.organization_id limit 1)
    from organization where organization.id is not null
  )`;
}
