import type { Transaction } from '@tocsin/database';
import type { StatusPage } from '../domain/page.ts';
import { type Entry, treeOf } from '../domain/tree.ts';
import { loadStructure } from '../storage/structure-store.ts';

export interface PageWithTree {
  readonly page: StatusPage;
  readonly entries: readonly Entry[];
}

export async function withTree(tx: Transaction, page: StatusPage): Promise<PageWithTree> {
  const key = { organizationId: page.organizationId, pageId: page.id };
  return { page, entries: treeOf(await loadStructure(tx, key)) };
}
