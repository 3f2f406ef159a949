import pg from 'pg';

export interface ServiceDatabase {
  readonly schema: string;
  readonly role: string;
  readonly password: string;
}

/**
 * Creates or updates a service's role and its schema. Returns the URL with which the service connects. The role owns
 * its schema and sees no other schema. Safe to repeat, and to call from several programs at once.
 */
export async function prepareServiceDatabase(
  adminUrl: string,
  { schema, role, password }: ServiceDatabase,
): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const quotedRole = pg.escapeIdentifier(role);
    const quotedSchema = pg.escapeIdentifier(schema);
    const quotedPassword = pg.escapeLiteral(password);
    await client.query('begin');
    // Lock across the whole cluster, because roles belong to the cluster and two installations may start at once.
    await client.query('select pg_advisory_xact_lock(7305510)');
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
    const verb = rowCount === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${quotedRole} login nosuperuser nobypassrls password ${quotedPassword}`);
    // Creating a schema for a role requires membership in the role. A superuser does not require this grant.
    await client.query(`grant ${quotedRole} to current_user`);
    await client.query(`create schema if not exists ${quotedSchema} authorization ${quotedRole}`);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = pg.escapeIdentifier(rows[0]?.name ?? '');
    await client.query(`alter role ${quotedRole} in database ${database} set search_path = ${quotedSchema}`);
    await client.query('commit');
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  return url.href;
}
