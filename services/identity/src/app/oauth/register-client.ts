import { randomUUID } from 'node:crypto';
import type { Database } from '@tocsin/database';
import { type Client, parseRegistration } from '../../domain/oauth/client.ts';
import { deleteSurplusClients, insertClient } from '../../storage/oauth-client-store.ts';
import { clientMetadata } from './clients.ts';

/** Maximum number of registered clients to which no user has granted access yet. */
const MAX_UNUSED_CLIENTS = 1_000;

/**
 * Registers a client (RFC 7591) and returns its metadata, or the problems with the request. If there are too many
 * clients to which no user has granted access yet, the oldest of them is deleted.
 */
export async function registerClient(
  { database, now }: { database: Database; now: () => Date },
  request: unknown,
): Promise<{ metadata: object } | { problems: readonly string[] }> {
  const parsed = parseRegistration(request);
  if ('problems' in parsed) return parsed;
  const client: Client = { ...parsed.client, id: randomUUID() };
  const metadata = { ...clientMetadata(client) };
  const createdAt = now();
  await database.transaction('every organization', async (tx) => {
    await insertClient(tx, { id: client.id, metadata, createdAt });
    await deleteSurplusClients(tx, MAX_UNUSED_CLIENTS);
  });
  return { metadata: { ...metadata, client_id_issued_at: Math.floor(createdAt.getTime() / 1_000) } };
}
