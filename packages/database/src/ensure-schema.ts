import pg from 'pg';

const SCHEMA_LOCK = 7_305_512;

/**
 * Returns the name of the schema that connections with this URL use, and creates the schema if it does not exist. A URL
 * names a schema with `options=-c search_path=monitor`. Several programs may call this concurrently.
 */
export async function ensureSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Ignore the event, because a broken connection also fails the running query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const existing = await currentSchema(client);
    if (existing !== null) return existing;
    await client.query('begin');
    // Lock, because concurrent creations of the same schema fail in spite of "if not exists".
    await client.query(`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
    const { rows } = await client.query<{ wanted: string }>(
      `select (parse_ident(split_part(current_setting('search_path'), ',', 1)))[1] as wanted`,
    );
    const wanted = rows[0]?.wanted ?? '';
    await client.query(`create schema if not exists ${pg.escapeIdentifier(wanted)}`);
    await client.query('commit');
    return wanted;
  } finally {
    await client.end();
  }
}

async function currentSchema(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ schema: string | null }>('select current_schema() as schema');
  return rows[0]?.schema ?? null;
}
