import pg from 'pg';

/** Runs a query as the owner of the tables in the PostgreSQL of an installation, and returns its rows. */
export async function query(namespace: string, text: string, values: readonly unknown[] = []) {
  const client = new pg.Client(`postgres://tocsin:trial@tocsin-postgres.${namespace}.svc.cluster.local:5432/tocsin`);
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
