/** A migration in plain SQL. It is independent of the ORM, which most starts need not load to know the migrations. */
export interface SqlMigration {
  /** Identifies the migration. Must not change after a release. */
  readonly name: string;
  readonly sql: string;
}

/** Returns a migration in plain SQL. The name identifies the migration and must not change after a release. */
export function sqlMigration(name: string, sql: string): SqlMigration {
  return { name, sql };
}
