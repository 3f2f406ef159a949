import type { Database, Transaction } from '@tocsin/database';
import { invalid } from '@tocsin/errors';
import { tablesOfOrganizations } from './stopped-organizations.ts';

/** A page of the rows of an organization. */
export interface OrganizationRows {
  /** JSON objects with `table` and `row`. */
  readonly rows: readonly string[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Maximum number of rows in a page, and length at which a page ends, in characters. */
const MAX_ROWS = 500;
const MAX_LENGTH = 512 * 1024;

/** Tables that contain messages for other services, and no data of the organization itself. */
const OMITTED_TABLES = ['dead_letter'];

/** Names of columns with secrets. Columns with bytes, such as hashes and images, are left out as well. */
const SECRET_COLUMNS = '(sealed|_hash$|_token$|_secret$)';

/**
 * Returns a page of the rows of an organization, from all tables that are not partitioned, without columns that contain
 * secrets. The pages are read at different times.
 * @throws ServiceError `invalid` for a cursor that no earlier page had.
 */
export async function listOrganizationRows(
  database: Database,
  { organizationId, cursor }: { organizationId: string; cursor: string | undefined },
): Promise<OrganizationRows> {
  return database.transaction({ organizationId }, async (tx) => {
    const tables = (await tablesOfOrganizations(tx)).filter((table) => !OMITTED_TABLES.includes(table)).sort();
    const start = cursor === undefined ? { table: tables[0] ?? '', key: undefined } : parseCursor(cursor, tables);
    const rows: string[] = [];
    let length = 0;
    for (const table of tables.slice(tables.indexOf(start.table))) {
      const after = table === start.table ? start.key : undefined;
      const found = await readRows(tx, { table, organizationId, after, limit: MAX_ROWS - rows.length });
      for (const { row, key } of found) {
        rows.push(`{"table":${JSON.stringify(table)},"row":${row}}`);
        length += row.length;
        if (rows.length >= MAX_ROWS || length >= MAX_LENGTH) return { rows, next: JSON.stringify([table, key]) };
      }
    }
    return { rows, next: undefined };
  });
}

interface KeyedRow {
  readonly row: string;
  /** Values of the primary key, as texts. */
  readonly key: readonly string[];
}

async function readRows(
  tx: Transaction,
  {
    table,
    organizationId,
    after,
    limit,
  }: { table: string; organizationId: string; after: readonly string[] | undefined; limit: number },
): Promise<KeyedRow[]> {
  const key = await tx.query<{ name: string; type: string }>(
    `select quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
     where i.indrelid = $1::regclass and i.indisprimary order by array_position(i.indkey::smallint[], a.attnum)`,
    [table],
  );
  if (key.length === 0) throw new Error(`the table ${table} has no primary key`);
  if (after && after.length !== key.length) throw invalid({ cursor: ['is not a cursor of this list'] });
  const columns = await tx.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and (atttypid = 'bytea'::regtype or attname ~ $2)`,
    [table, SECRET_COLUMNS],
  );
  const names = key.map(({ name }) => name).join(', ');
  const following = key.map(({ type }, index) => `($4::text[])[${index + 1}]::${type}`).join(', ');
  return tx.query<KeyedRow>(
    `select (to_jsonb(t) - $2::text[])::text as row, array[${key.map(({ name }) => `${name}::text`).join(', ')}] as key
     from ${table} t where organization_id = $1 and ($4::text[] is null or (${names}) > (${following}))
     order by ${names} limit $3`,
    [organizationId, columns.map(({ name }) => name), limit, after ?? null],
  );
}

function parseCursor(cursor: string, tables: readonly string[]): { table: string; key: string[] } {
  const wrong = () => invalid({ cursor: ['is not a cursor of this list'] });
  let value: unknown;
  try {
    value = JSON.parse(cursor);
  } catch {
    throw wrong();
  }
  if (!Array.isArray(value)) throw wrong();
  const [table, key]: unknown[] = value;
  const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string');
  if (typeof table !== 'string' || !tables.includes(table) || !isKey) throw wrong();
  return { table, key };
}
