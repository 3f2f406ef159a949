import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/** Returns a migration in plain SQL. Its name identifies it and must not change after a release. */
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
