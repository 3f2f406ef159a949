import { ServiceError } from '@tocsin/errors';
import pg from 'pg';
import { sqlState } from './failures.ts';
import { roleSql } from './prepare.ts';

/** Table in which the ORM records the migrations that ran. */
export const MIGRATIONS_TABLE = 'mikro_orm_migrations';

/**
 * Grants the role of `url` the rights that a service needs in the current schema of `owner`: to read and write rows of
 * tables, and to call functions. The role gets no right to a partition, because the policies of the partitioned table
 * do not apply to a query that names the partition. A missing role is created if the owner may create roles.
 * @throws ServiceError `conflict` if the role is missing and the owner may not create it.
 */
export async function grantRuntimeRole(owner: pg.Client, url: string): Promise<void> {
  const { username, password } = new URL(url);
  const role = { name: decodeURIComponent(username), password: decodeURIComponent(password) };
  await ensureRole(owner, role);
  const { rows } = await owner.query<{ statements: string[] }>(GRANTS, [role.name, MIGRATIONS_TABLE]);
  for (const statement of rows[0]?.statements ?? []) await owner.query(statement);
}

const GRANTS = `
  select array[
    format('grant usage on schema %I to %I', current_schema(), $1::text),
    format('revoke execute on all functions in schema %I from public', current_schema()),
    format('grant execute on all functions in schema %I to %I', current_schema(), $1::text),
    format('grant usage on all sequences in schema %I to %I', current_schema(), $1::text)
  ] || array(
    select format('grant %s on %I.%I to %I',
                  case when relname = $2 then 'select' else 'select, insert, update, delete' end,
                  current_schema(), relname, $1::text)
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname
  ) as statements`;

async function ensureRole(owner: pg.Client, role: { name: string; password: string }): Promise<void> {
  const { rows } = await owner.query<{ owner: string; exists: boolean }>(
    'select current_user as owner, exists (select from pg_roles where rolname = $1) as exists',
    [role.name],
  );
  if (rows[0]?.exists) return;
  try {
    await owner.query(roleSql('create', role));
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    throw new ServiceError(
      'conflict',
      `the role ${role.name} does not exist, and ${rows[0]?.owner} may not create it: create it with LOGIN and its password`,
    );
  }
}

/**
 * Returns the reason why row-level security does not apply to the role of a connection: the role is a superuser, has
 * the attribute BYPASSRLS, or owns tables. Returns undefined if row-level security applies.
 */
export async function escapeOfRowSecurity(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ reason: string | null }>(
      `select case when rolsuper then 'is a superuser'
                   when rolbypassrls then 'bypasses row-level security'
                   when exists (select from pg_class where relnamespace = current_schema()::regnamespace
                                and relkind in ('r', 'p') and pg_has_role(relowner, 'member'))
                   then 'owns tables' end as reason
       from pg_roles where rolname = current_user`,
    );
    return rows[0]?.reason ?? undefined;
  } finally {
    await client.end();
  }
}
