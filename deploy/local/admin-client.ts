import type { Client } from '@connectrpc/connect';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { createRpcClient, createTokenSource, createTransport, type TokenSource } from '@tocsin/runtime';

/** Every permission there is, in its strongest form: `read_write` includes `read`. */
export const allPermissions = ['monitors', 'status_pages', 'alert_channels', 'incidents', 'api_keys'].map(
  (name) => `${name}:read_write`,
);

export interface AdminAccess {
  readonly identityUrl: string;
  /** The secret of the service identity `admin`. */
  readonly secret: string;
}

/** Speaks to identity as the operator of the installation. */
export function createAdminClient(access: AdminAccess): Client<typeof AdminService> {
  const transport = createTransport({ url: access.identityUrl, tokens: adminTokens(access) });
  return createRpcClient(AdminService, transport);
}

/** Tokens for direct calls to any service, in the name of the operator. */
export function adminTokens({ identityUrl, secret }: AdminAccess): TokenSource {
  return createTokenSource({ service: 'admin', secret, identityUrl });
}
