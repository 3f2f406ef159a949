import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/** Returns a migration in plain SQL. The name identifies the migration and must not change after a release. */
export function sqlMigration(name: string, sql: string): MigrationObject {
  return {
    name,
    class: class extends Migration {
      override up() {
        this.addSql(sql);
      }
    },
  };
}
