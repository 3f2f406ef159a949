import type { Database } from '@tocsin/database';
import type { ClientMetadata } from 'oidc-provider';
import { BUILT_IN_CLIENT, type Client, isClientId, isNative } from '../../domain/oauth/client.ts';
import { findClient } from '../../storage/oauth-client-store.ts';

/** A client as it is shown to a user who decides about its access. */
export interface ShownClient extends Pick<Client, 'id' | 'name'> {
  /** Whether the client registered itself. Its name is then not verified. */
  readonly isSelfRegistered: boolean;
}

/** Returns the clients that exist without registration: the built-in client and the configured ones. */
export function staticClients(configured: readonly Client[]): readonly Client[] {
  return [BUILT_IN_CLIENT, ...configured];
}

/** Returns the client with this id; undefined if the id is unknown. */
export async function findShownClient(
  { database, configuredClients }: { database: Database; configuredClients: readonly Client[] },
  id: string,
): Promise<ShownClient | undefined> {
  const known = staticClients(configuredClients).find((client) => client.id === id);
  if (known) return { id, name: known.name, isSelfRegistered: false };
  const metadata = await findRegisteredClient(database, id);
  return metadata && { id, name: String(metadata.client_name ?? id), isSelfRegistered: true };
}

/** Returns the metadata of a client that registered itself; undefined if no such client has this id. */
export async function findRegisteredClient(
  database: Database,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  // Invalid ids must not reach the query, because PostgreSQL refuses texts with null characters.
  if (!isClientId(id)) return undefined;
  return database.transaction('every organization', (tx) => findClient(tx, id));
}

/** Returns the metadata of a client for oidc-provider (RFC 7591 §2). */
export function clientMetadata({ id, name, redirectUris, grantTypes }: Client): ClientMetadata {
  return {
    client_id: id,
    client_name: name,
    // The type decides which ports of the loopback interface are allowed: native clients may use any port.
    application_type: isNative(redirectUris) ? 'native' : 'web',
    redirect_uris: [...redirectUris],
    grant_types: [...grantTypes],
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: 'none',
  };
}
