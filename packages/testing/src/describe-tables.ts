import pg from 'pg';
import type { TestDatabase } from './test-database.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** TypeScript types of column values, by PostgreSQL type (see column-types.ts of packages/database). */
const TYPES: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  date: 'string',
  timestamptz: 'Date',
  bytea: 'Buffer',
  json: 'unknown',
  jsonb: 'unknown',
  _uuid: 'string[]',
  _text: 'string[]',
  _int2: 'number[]',
  _int4: 'number[]',
  _timestamptz: 'Date[]',
};

/** Tables of MikroORM and packages/outbox that are in each schema. */
const SHARED_TABLES = [
  'mikro_orm_migrations',
  'outbox',
  'outbox_sequence',
  'published_event',
  'event_stream',
  'inbox',
  'dead_letter',
  'stopped_organization',
];

/**
 * Returns a TypeScript module with the columns of a service's own tables, for `toMatchFileSnapshot`. Omits partitions.
 * Row types are derived from this module, so code that uses a column stops compiling if a migration changes the column.
 */
export async function describeTables({ url, schema }: TestDatabase): Promise<string> {
  const tables = Map.groupBy(await readColumns(url, schema), ({ table }) => table);
  const described = [...tables].map(
    ([table, columns]) => `  ${table}: {\n${columns.map((column) => `    ${describe(column)};\n`).join('')}  };\n`,
  );
  return `${HEADER}export interface Tables {\n${described.join('')}}\n`;
}

const HEADER = `/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
`;

function describe({ name, table, type, nullable }: Column): string {
  const described = TYPES[type];
  if (described === undefined)
    throw new Error(`column ${table}.${name} has type ${type}, which describeTables() lacks`);
  return `${name}: ${described}${nullable && described !== 'unknown' ? ' | null' : ''}`;
}

async function readColumns(url: string, schema: string): Promise<Column[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(
      `select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable
       from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
       where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped and c.relname <> all($2)
       order by c.relname, a.attnum`,
      [schema, SHARED_TABLES],
    );
    return rows;
  } finally {
    await client.end();
  }
}
