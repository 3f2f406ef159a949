import { invalid } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';
import type { ApiKey } from '../domain/api-key.ts';
import { listApiKeys as readApiKeys } from '../storage/api-key-store.ts';
import type { Deps } from './ports.ts';

/** Returns a page of the keys that were not revoked, newest first, and the cursor for the next page. */
export async function listApiKeys(
  { database }: Deps,
  organizationId: string,
  { limit, cursor }: { limit: number | undefined; cursor: string | undefined },
): Promise<{ keys: ApiKey[]; nextCursor: string | undefined }> {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && before === undefined) throw invalid({ cursor: ['is not from the link to a next page'] });
  const found = await database.transaction({ organizationId }, (tx) =>
    // Read one row more than requested to find out whether there is a next page.
    readApiKeys(tx, organizationId, { before, limit: limit && limit + 1 }),
  );
  const keys = limit ? found.slice(0, limit) : found;
  return { keys, nextCursor: keys.length < found.length ? writeCursor(keys.at(-1)?.id) : undefined };
}
