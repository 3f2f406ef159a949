import { migrateDatabase } from '@tocsin/database';
import { migrations as disruption } from '@tocsin/disruption/migrations';
import { migrations as gateway } from '@tocsin/gateway/migrations';
import { migrations as identity } from '@tocsin/identity/migrations';
import { migrations as monitor } from '@tocsin/monitor/migrations';
import { migrations as notifier } from '@tocsin/notifier/migrations';
import { migrations as statuspage } from '@tocsin/statuspage/migrations';
import type { StoredName } from './service-names.ts';

type Migrations = Parameters<typeof migrateDatabase>[0]['migrations'];

/** Migrations of every program with a database. */
export const MIGRATIONS: Readonly<Record<StoredName, Migrations>> = {
  identity,
  monitor,
  disruption,
  statuspage,
  notifier,
  gateway,
};

/** Migrates the database of a program with the role of `ownerUrl`, and grants permissions to the role of `url`. */
export function migrateProgram(name: StoredName, urls: { ownerUrl: string; url: string }): Promise<void> {
  return migrateDatabase({ ...urls, migrations: MIGRATIONS[name] });
}
