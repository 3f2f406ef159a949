import pg from 'pg';

interface Role {
  readonly name: string;
  readonly password: string;
}

export interface ServiceDatabase {
  readonly schema: string;
  /** Role that owns the schema and migrates it. */
  readonly owner: Role;
  /** Role with which the service runs. It may read and write rows, and nothing else (see migrateDatabase). */
  readonly runtime: Role;
}

/** Connection URLs of a service's database, one with each of the service's two roles. */
export interface ServiceUrls {
  readonly ownerUrl: string;
  readonly url: string;
}

/**
 * Creates or updates a service's two roles and its schema, and returns a connection URL for each role. The roles have
 * no access to other schemas. Safe to repeat, and to call from several programs at once.
 */
export async function prepareServiceDatabase(
  adminUrl: string,
  { schema, owner, runtime }: ServiceDatabase,
): Promise<ServiceUrls> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const [quotedOwner, quotedSchema] = [pg.escapeIdentifier(owner.name), pg.escapeIdentifier(schema)];
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = pg.escapeIdentifier(rows[0]?.name ?? '');
    await client.query('begin');
    // Several programs may prepare the same database at once. PostgreSQL's advisory locks are local to a database.
    await client.query('select pg_advisory_xact_lock(7305510)');
    for (const role of [owner, runtime]) {
      await saveRole(client, role);
      const name = pg.escapeIdentifier(role.name);
      await client.query(`alter role ${name} in database ${database} set search_path = ${quotedSchema}`);
    }
    // Creating a schema for a role requires membership in the role. A superuser does not require this grant.
    await client.query(`grant ${quotedOwner} to current_user`);
    await client.query(`create schema if not exists ${quotedSchema} authorization ${quotedOwner}`);
    await client.query('commit');
  } finally {
    await client.end();
  }
  return { ownerUrl: urlOf(adminUrl, owner), url: urlOf(adminUrl, runtime) };
}

async function saveRole(client: pg.Client, { name, password }: Role): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
  await client.query(roleSql(rowCount === 0 ? 'create' : 'alter', { name, password }));
}

/** Returns SQL that creates or alters a role. The role can log in, and can't bypass row-level security. */
export function roleSql(verb: 'create' | 'alter', { name, password }: Role): string {
  const options = `login nosuperuser nobypassrls password ${pg.escapeLiteral(password)}`;
  return `${verb} role ${pg.escapeIdentifier(name)} ${options}`;
}

function urlOf(adminUrl: string, { name, password }: Role): string {
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(name);
  url.password = encodeURIComponent(password);
  return url.href;
}
