import type { Client } from '@connectrpc/connect';
import { Problem } from '@tocsin/dev-servers/problem';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { AdminService as MonitorAdminService } from '@tocsin/proto/monitor/v1/admin';
import { createRpcClient, createTokenSource, createTransport, type TokenSource } from '@tocsin/runtime';

export interface AdminAccess {
  readonly identityUrl: string;
  /** Needed for createMonitorAdmin() only. */
  readonly monitorUrl?: string | undefined;
  /** The secret of the service identity `admin`. */
  readonly secret: string;
}

/** Calls identity as the operator of the installation. */
export function createAdminClient(access: AdminAccess): Client<typeof AdminService> {
  const transport = createTransport({ url: access.identityUrl, service: 'identity', tokens: adminTokens(access) });
  return createRpcClient(AdminService, transport);
}

/** Days of history take their time. */
const MONITOR_TIMEOUT_MS = 120_000;

/**
 * Calls the monitor service as the operator of the installation.
 * @throws Problem when its address is not configured.
 */
export function createMonitorAdmin(access: AdminAccess): Client<typeof MonitorAdminService> {
  const { monitorUrl: url } = access;
  if (!url) throw new Problem('TOCSIN_MONITOR_URL is missing: it should say where the monitor service is.');
  const transport = createTransport({
    url,
    service: 'monitor',
    tokens: adminTokens(access),
    timeoutMs: MONITOR_TIMEOUT_MS,
  });
  return createRpcClient(MonitorAdminService, transport);
}

/** Tokens of the operator of the installation. */
function adminTokens({ identityUrl, secret }: AdminAccess): TokenSource {
  return createTokenSource({ service: 'admin', secret, identityUrl });
}
