import { readFile } from 'node:fs/promises';
import { type Database, LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { type Runtime, startLoop } from '@tocsin/runtime';
import { parseVaultKeys, type Vault, type VaultKeys } from '@tocsin/vault';
import { Counter, Gauge } from 'prom-client';

/**
 * A database column with sealed texts, which a vault has encrypted. The names are inserted into SQL without quoting.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Columns of the table's primary key. */
  readonly keys: readonly [string, ...string[]];
  /** Returns the vault context of a row's text. `keys` are the values of the row's primary key. */
  context(...keys: string[]): string;
}

export interface RewrapOptions {
  readonly database: Database;
  readonly vault: Vault;
  /** File with the vault keys; undefined if they do not change while the program runs. */
  readonly keysFile?: string | undefined;
  readonly runtime: Pick<Runtime, 'metrics' | 'logger'>;
  readonly columns: readonly SealedColumn[];
}

/**
 * Milliseconds between two searches for texts that are not wrapped with the vault's primary key, and between two reads
 * of the file with the keys.
 */
const EVERY_MS = 10_000;
/**
 * Milliseconds without a search after one that found only texts of the primary key, unless the keys change. A search
 * reads all sealed columns.
 */
const CLEAN_FOR_MS = 300_000;
const BATCH = 200;

/** Name of the metric that counts sealed texts by table and key. `npm run admin -- vault status` reads it. */
export const SEALED_METRIC = 'tocsin_vault_sealed';

/**
 * Starts a loop that finds the sealed texts whose data key is not wrapped with the vault's primary key, and wraps these
 * data keys with the primary key, in small batches. Several replicas may run this concurrently. A restart continues the
 * work, because each sealed text contains the id of its vault key. Texts whose vault key is missing are left unchanged
 * and counted. If the keys are in a file, reads the file before each search, so that the keys can be changed while the
 * program runs.
 */
export function startRewrapping(options: RewrapOptions & { readonly runtime: Runtime }): AsyncDisposable {
  const meters = createMeters(options.runtime);
  const keysFile = options.keysFile === undefined ? undefined : new KeysFile(options.keysFile);
  let searchAt = 0;
  return startLoop('wrapping secrets again', EVERY_MS, options.runtime, async (signal) => {
    const keys = await keysFile?.readChanged();
    if (keys) {
      options.vault.replaceKeys(keys);
      options.runtime.logger.info({ keys: keys.map(({ id }) => id) }, 'vault keys were read');
      searchAt = 0;
    }
    if (performance.now() < searchAt) return 'done';
    let isClean = true;
    for (const column of options.columns) {
      // Rows whose text can't be decrypted are skipped until the next search, so that they do not block the other rows.
      const skipped: string[][] = [];
      let isDone = await count(options, column, meters);
      while (!signal.aborted && (await rewrapBatch(options, column, { skipped, meters }))) {
        isDone = await count(options, column, meters);
      }
      isClean &&= isDone;
    }
    if (isClean) searchAt = performance.now() + CLEAN_FOR_MS;
    return 'done';
  });
}

/** A file with vault keys. */
class KeysFile {
  readonly #path: string;
  #text: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Returns the keys if the file has changed since the last call.
   * @throws Error if the file can't be read or its keys are not valid.
   */
  async readChanged(): Promise<VaultKeys | undefined> {
    const text = await readFile(this.#path, 'utf8');
    if (text === this.#text) return undefined;
    const keys = parseVaultKeys(text);
    this.#text = text;
    return keys;
  }
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

/**
 * Counts the texts in all sealed columns of a table, by vault key. Returns whether all of them have the primary key.
 */
async function count(
  { database, vault, columns }: RewrapOptions,
  { table }: SealedColumn,
  { sealed }: Meters,
): Promise<boolean> {
  const selects = columns
    .filter((column) => column.table === table)
    .map(({ column }) => `select ${column} as sealed from ${table}`)
    .join(' union all ');
  const rows = await database.transaction(
    'every organization',
    (tx) =>
      tx.query<{ key: string; texts: number }>(
        `select split_part(sealed, '.', 2) as key, count(*)::integer as texts from (${selects}) as column_of_table
         where sealed is not null group by 1`,
        [],
      ),
    LONG_STATEMENTS,
  );
  const primary = vault.primaryKeyId;
  const known = new Map([[primary, 0], ...rows.map(({ key, texts }) => [key, texts] as const)]);
  // A key without any texts must disappear from the metric.
  for (const { labels } of (await sealed.get()).values) if (labels.table === table) sealed.remove(labels);
  for (const [key, texts] of known) sealed.set({ table, key, primary: String(key === primary) }, texts);
  return known.size === 1;
}

/**
 * Rewraps a batch of a column's texts with the vault's primary key. Returns whether there may be more texts to rewrap.
 */
async function rewrapBatch(
  { database, vault, runtime }: RewrapOptions,
  { table, column, keys, context }: SealedColumn,
  { skipped, meters }: { skipped: string[][]; meters: Meters },
): Promise<boolean> {
  const texts = keys.map((key) => `${key}::text`).join(', ');
  const values = (from: number) => keys.map((key, index) => `${key}::text = $${from + index}`).join(' and ');
  const rewrap = async (tx: Transaction) => {
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
  };
  return database.transaction('every organization', rewrap, LONG_STATEMENTS);
}

function tryRotate(vault: Vault, sealed: string, context: string): string | Error {
  try {
    return vault.rotate(sealed, context);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
