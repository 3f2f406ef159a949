import type { Database, Transaction } from '@tocsin/database';
import { type Runtime, startLoop } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import { Counter, Gauge } from 'prom-client';

/** A column of sealed texts. Names stand in SQL as they are. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Columns of the primary key. */
  readonly keys: readonly [string, ...string[]];
  /** Returns the context in which a row's text was sealed, from the values of its key. */
  context(...keys: string[]): string;
}

export interface RewrapOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly runtime: Pick<Runtime, 'metrics' | 'logger'>;
  readonly columns: readonly SealedColumn[];
}

/** How often columns are searched for texts that another key than the primary one sealed. */
const EVERY_MS = 10_000;
const BATCH = 200;

/** Texts by the key that sealed them, by table, as `npm run tocsin -- vault status` reads them. */
export const SEALED_METRIC = 'tocsin_vault_sealed';

/**
 * Wraps every sealed text again under the vault's primary key, in the background, a few rows at a time. Any number of
 * replicas may do this at once, and a crash loses nothing: what is wrapped is found by its key. A text whose key the
 * vault does not hold stays as it is and is counted.
 */
export function startRewrapping(options: RewrapOptions & { readonly runtime: Runtime }): AsyncDisposable {
  const meters = createMeters(options.runtime);
  return startLoop('wrapping secrets again', EVERY_MS, options.runtime, async (signal) => {
    for (const column of options.columns) {
      // What does not open is left out until the next round, so that it does not hold up the others.
      const skipped: string[][] = [];
      await count(options, column, meters);
      while (!signal.aborted && (await rewrapBatch(options, column, { skipped, meters }))) {
        await count(options, column, meters);
      }
    }
    return 'done';
  });
}

type Meters = ReturnType<typeof createMeters>;

function createMeters({ metrics }: Pick<Runtime, 'metrics'>) {
  const registers = [metrics];
  return {
    sealed: new Gauge({
      name: SEALED_METRIC,
      help: 'Secrets at rest by table and by the vault key that wraps them.',
      labelNames: ['table', 'key', 'primary'],
      registers,
    }),
    rewrapped: new Counter({
      name: 'tocsin_vault_rewrapped_total',
      help: 'Secrets that were wrapped again under the primary key.',
      labelNames: ['table'],
      registers,
    }),
    failed: new Counter({
      name: 'tocsin_vault_rewrap_failures_total',
      help: 'Secrets that do not open, because the vault does not hold their key or they were altered.',
      labelNames: ['table'],
      registers,
    }),
  };
}

/** Counts the texts of all sealed columns of a table together, by key. */
async function count({ database, vault, columns }: RewrapOptions, { table }: SealedColumn, { sealed }: Meters) {
  const selects = columns
    .filter((column) => column.table === table)
    .map(({ column }) => `select ${column} as sealed from ${table}`)
    .join(' union all ');
  const rows = await database.transaction('every organization', (tx) =>
    tx.query<{ key: string; texts: number }>(
      `select split_part(sealed, '.', 2) as key, count(*)::integer as texts from (${selects}) as column_of_table
       where sealed is not null group by 1`,
      [],
    ),
  );
  const primary = vault.primaryKeyId;
  const known = new Map([[primary, 0], ...rows.map(({ key, texts }) => [key, texts] as const)]);
  // A key under which nothing is left must not go on being shown.
  for (const { labels } of (await sealed.get()).values) if (labels.table === table) sealed.remove(labels);
  for (const [key, texts] of known) sealed.set({ table, key, primary: String(key === primary) }, texts);
}

/** Wraps a batch again. Returns whether there may be more. */
async function rewrapBatch(
  { database, vault, runtime }: RewrapOptions,
  { table, column, keys, context }: SealedColumn,
  { skipped, meters }: { skipped: string[][]; meters: Meters },
): Promise<boolean> {
  const texts = keys.map((key) => `${key}::text`).join(', ');
  const values = (from: number) => keys.map((key, index) => `${key}::text = $${from + index}`).join(' and ');
  return database.transaction('every organization', async (tx: Transaction) => {
    const rows = await tx.query<{ key: string[]; sealed: string }>(
      `select array[${texts}] as key, ${column} as sealed from ${table}
       where ${column} is not null and split_part(${column}, '.', 2) <> $1
         and array_to_string(array[${texts}], ' ') <> all($2::text[])
       order by ${keys.join(', ')} limit ${BATCH} for no key update skip locked`,
      [vault.primaryKeyId, skipped.map((key) => key.join(' '))],
    );
    for (const { key, sealed } of rows) {
      const rewrapped = tryRotate(vault, sealed, context(...key));
      if (rewrapped instanceof Error) {
        skipped.push(key);
        meters.failed.inc({ table });
        runtime.logger.error({ err: rewrapped, table, key: key.join(' ') }, 'a secret can not be wrapped again');
      } else {
        await tx.query(`update ${table} set ${column} = $1 where ${values(2)}`, [rewrapped, ...key]);
        meters.rewrapped.inc({ table });
      }
    }
    return rows.length > 0;
  });
}

function tryRotate(vault: Vault, sealed: string, context: string): string | Error {
  try {
    return vault.rotate(sealed, context);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
