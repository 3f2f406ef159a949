import { type JsonObject, textOf } from '../json.ts';
import type { KumaData, KumaPage } from './kuma.ts';

/** Returns whether a file begins like a SQLite database. */
export function isDatabase(content: Uint8Array): boolean {
  return new TextDecoder().decode(content.subarray(0, 15)) === 'SQLite format 3';
}

/** Reads the SQLite database of Uptime Kuma 1 or 2. Missing tables count as empty. */
export function readKumaDatabase(file: string): KumaData {
  // Load the module only when it is needed, because Node.js prints a warning when it is loaded.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const names = new Set(tables.map(({ name }) => name));
    const rows = (table: string): JsonObject[] =>
      // All table names are constants, so they need no escaping.
      names.has(table) ? (database.prepare(`SELECT * FROM "${table}"`).all() as unknown as JsonObject[]) : [];
    return {
      monitors: rows('monitor'),
      notifications: rows('notification'),
      links: rows('monitor_notification').map(
        ({ monitor_id, notification_id }) => [String(monitor_id), String(notification_id)] as const,
      ),
      pages: pagesOf(rows),
      others: {
        proxy: rows('proxy').length,
        maintenance: rows('maintenance').length,
        incident: rows('incident').length,
        tag: rows('tag').length,
      },
    };
  } finally {
    database.close();
  }
}

function pagesOf(rows: (table: string) => JsonObject[]): KumaPage[] {
  const groups = rows('group').sort(byWeight);
  const members = rows('monitor_group').sort(byWeight);
  const domains = rows('status_page_cname');
  return rows('status_page').map((row) => ({
    row,
    groups: groups
      .filter(({ status_page_id }) => status_page_id === row.id)
      .map(({ id, name }) => ({
        name: textOf(name),
        monitors: members.filter(({ group_id }) => group_id === id).map(({ monitor_id }) => String(monitor_id)),
      })),
    domains: domains.filter(({ status_page_id }) => status_page_id === row.id).map(({ domain }) => textOf(domain)),
  }));
}

function byWeight(a: JsonObject, b: JsonObject): number {
  return Number(a.weight ?? 0) - Number(b.weight ?? 0);
}
