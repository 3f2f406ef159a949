import type { Transaction } from '@tocsin/database';
import { deleteSubscribedPage, setTakesSubscribers } from '../storage/subscriber-store.ts';

export interface ChangedPage {
  readonly organizationId: string;
  readonly id: string;
  readonly deleted: boolean;
  /** Whether visitors may subscribe to the page; undefined if that did not change. */
  readonly takesSubscribers: boolean | undefined;
}

/**
 * Deletes the subscribers of a deleted page. Records whether anything may be sent to the subscribers of a changed page.
 */
export async function applyPage(tx: Transaction, { deleted, takesSubscribers, ...page }: ChangedPage): Promise<void> {
  if (deleted) await deleteSubscribedPage(tx, page);
  else if (takesSubscribers !== undefined) await setTakesSubscribers(tx, page, takesSubscribers);
}
