import pg from 'pg';

/** Returns the names of the tables in a service's schema that have a row with the given text, such as an id. */
export async function tablesContaining(url: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Without this setting, row-level security would hide the rows of all organizations.
    await client.query("select set_config('tocsin.every_organization', 'on', false)");
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await client.query(`select from ${name} t where strpos(t::text, $1) > 0 limit 1`, [text]);
      if ((rowCount ?? 0) > 0) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}
