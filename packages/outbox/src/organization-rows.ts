import type { Database, Transaction } from '@tocsin/database';
import { invalid } from '@tocsin/errors';

/** A page of the rows of an organization. */
export interface OrganizationRows {
  /** JSON objects with `table` and `row`. */
  readonly rows: readonly string[];
  /** Cursor for the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Maximum number of rows in a page, and number of characters after which a page ends. */
const MAX_ROWS = 500;
const MAX_LENGTH = 512 * 1024;

/**
 * For every table with a column `organization_id`, states for each column whether an export contains it. A new column
 * is therefore never exported by mistake. `false` excludes a whole table.
 */
export type ExportedColumns<Tables> = {
  readonly [Table in keyof Tables as Tables[Table] extends { organization_id: unknown } ? Table : never]:
    | { readonly [Column in keyof Tables[Table]]: boolean }
    | false;
};

type AnyExportedColumns = Readonly<Record<string, Readonly<Record<string, boolean>> | false>>;

/**
 * Returns a page of the rows of an organization, with the columns that are exported. Each page is read in its own
 * transaction, so the pages do not form one snapshot.
 * @throws ServiceError `invalid` for a cursor that no earlier page returned.
 */
export async function listOrganizationRows(
  database: Database,
  {
    organizationId,
    cursor,
    exported,
  }: { organizationId: string; cursor: string | undefined; exported: AnyExportedColumns },
): Promise<OrganizationRows> {
  const columnsOf = new Map(
    Object.entries(exported).flatMap(([table, columns]) =>
      columns ? [[table, Object.keys(columns).filter((column) => columns[column])] as const] : [],
    ),
  );
  const tables = [...columnsOf.keys()].sort();
  return database.transaction({ organizationId }, async (tx) => {
    const start = cursor === undefined ? { table: tables[0] ?? '', key: undefined } : parseCursor(cursor, tables);
    const rows: string[] = [];
    let length = 0;
    for (const table of tables.slice(tables.indexOf(start.table))) {
      const after = table === start.table ? start.key : undefined;
      const columns = columnsOf.get(table) ?? [];
      const found = await readRows(tx, { table, columns, organizationId, after, limit: MAX_ROWS - rows.length });
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
    columns,
    organizationId,
    after,
    limit,
  }: {
    table: string;
    columns: readonly string[];
    organizationId: string;
    after: readonly string[] | undefined;
    limit: number;
  },
): Promise<KeyedRow[]> {
  const key = await tx.query<{ name: string; type: string }>(
    `select quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
     where i.indrelid = $1::regclass and i.indisprimary order by array_position(i.indkey::smallint[], a.attnum)`,
    [table],
  );
  if (key.length === 0) throw new Error(`the table ${table} has no primary key`);
  if (after && after.length !== key.length) throw invalid({ cursor: ['is not a cursor of this list'] });
  const names = key.map(({ name }) => name).join(', ');
  const following = key.map(({ type }, index) => `($4::text[])[${index + 1}]::${type}`).join(', ');
  return tx.query<KeyedRow>(
    `select (select jsonb_object_agg(name, to_jsonb(t) -> name) from unnest($2::text[]) as name)::text as row, array[${key.map(({ name }) => `${name}::text`).join(', ')}] as key
     from ${table} t where organization_id = $1 and ($4::text[] is null or (${names}) > (${following}))
     order by ${names} limit $3`,
    [organizationId, columns, limit, after ?? null],
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
