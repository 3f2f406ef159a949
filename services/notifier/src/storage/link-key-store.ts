import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

/** Returns the sealed key that signs public links. Saves `fresh` as the key if there is none yet. */
export async function ensureLinkKey(tx: Transaction, fresh: string): Promise<string> {
  await tx.query('insert into link_key (sealed_key) values ($1) on conflict do nothing', [fresh]);
  const [row] = await tx.query<Pick<Tables['link_key'], 'sealed_key'>>('select sealed_key from link_key', []);
  if (!row) throw new Error('the key of the links to outages was saved and can not be read');
  return row.sealed_key;
}
