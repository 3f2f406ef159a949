import type { Database, Scope } from '../src/index.ts';
import { openDatabase, protectByOrganization, sqlMigration } from '../src/index.ts';

/** Migrations with a table of notes that belong to organizations. */
export const migrations = [
  sqlMigration(
    'sample-001-notes',
    `create table note (id int primary key, organization_id uuid not null, text text not null);
     ${protectByOrganization('note')}`,
  ),
  sqlMigration('sample-002-first-note', `create table migrated (at timestamptz not null default now())`),
  sqlMigration('sample-003-mark', `insert into migrated default values`),
];

export function openSample(url: string, applied = migrations): Promise<Database> {
  return openDatabase({ url, entities: [], migrations: applied, poolSize: 6 });
}

export const acme = '01920000-0000-7000-8000-00000000000a';
export const globex = '01920000-0000-7000-8000-00000000000b';

/** Runs a query with one column in a scope, and returns the column's values. */
export function column(database: Database, scope: Scope, sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  return database.transaction(scope, async (tx) => (await tx.query(sql, parameters)).flatMap(Object.values));
}
