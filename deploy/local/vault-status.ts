/** How many stored secrets each vault key protects. */
export interface VaultStatus {
  /** Whether all secrets use the primary vault key, so that the other keys can be removed. */
  readonly done: boolean;
  /** Number of secrets by key id, for each process and table. `*` follows the id of the primary key. */
  readonly sealed: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const LINE = /^tocsin_vault_sealed\{([^}]*)\} (\d+)/;

/** Calculates the status from the metrics of the processes. `metrics` has the process names as keys. */
export function vaultStatusOf(metrics: Readonly<Record<string, string>>): VaultStatus {
  const sealed: Record<string, Record<string, number>> = {};
  let left = 0;
  for (const [process, text] of Object.entries(metrics)) {
    for (const line of text.split('\n')) {
      const [, labels = '', value] = LINE.exec(line) ?? [];
      if (value === undefined) continue;
      const { table, key, primary } = Object.fromEntries(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, label]) => [name, label]),
      );
      const name = `${process}.${table}`;
      sealed[name] = { ...sealed[name], [primary === 'true' ? `${key}*` : `${key}`]: Number(value) };
      if (primary !== 'true') left += Number(value);
    }
  }
  return { done: left === 0 && Object.keys(sealed).length > 0, sealed };
}
