import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { ApiKey } from '../domain/api-key.ts';
import { findApiKey } from '../storage/api-key-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns an API key.
 * @throws ServiceError `not_found` if the key does not exist, was revoked, or belongs to another organization.
 */
export async function getApiKey({ database }: Deps, organizationId: string, id: string): Promise<ApiKey> {
  const key = isId(id)
    ? await database.transaction({ organizationId }, (tx) => findApiKey(tx, organizationId, id))
    : undefined;
  if (!key) throw notFound('API key');
  return key;
}
