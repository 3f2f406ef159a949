import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/** A migration that is plain SQL. Its name is its identity: it never changes once it was released. */
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
