import type { Client } from '@connectrpc/connect';
import { Problem } from '@tocsin/dev-servers/problem';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { AdminService as MonitorAdminService } from '@tocsin/proto/monitor/v1/admin';
import { createRpcClient, createTokenSource, createTransport, type Tls, type TokenSource } from '@tocsin/runtime';

export interface AdminAccess {
  readonly identityUrl: string;
  /** URL of the monitor service, required only by createMonitorAdmin(). */
  readonly monitorUrl?: string | undefined;
  /** Secret of the service identity `admin`. */
  readonly secret: string;
  /** Certificates for calls; undefined without TLS between services. */
  readonly tls?: Tls | undefined;
}

/** Returns a client for identity with the permissions of the installation's operator. */
export function createAdminClient(access: AdminAccess): Client<typeof AdminService> {
  const transport = createTransport({
    url: access.identityUrl,
    service: 'identity',
    tokens: adminTokens(access),
    tls: access.tls,
  });
  return createRpcClient(AdminService, transport);
}

/** Timeout of a call, in milliseconds. It is long, because a replay may evaluate days of history. */
const MONITOR_TIMEOUT_MS = 120_000;

/**
 * Returns a client for the monitor service with the permissions of the installation's operator.
 * @throws Problem if the address of the service is not configured.
 */
export function createMonitorAdmin(access: AdminAccess): Client<typeof MonitorAdminService> {
  const { monitorUrl: url } = access;
  if (!url) throw new Problem('TOCSIN_MONITOR_URL is missing: it should say where the monitor service is.');
  const transport = createTransport({
    url,
    service: 'monitor',
    tokens: adminTokens(access),
    tls: access.tls,
    timeoutMs: MONITOR_TIMEOUT_MS,
  });
  return createRpcClient(MonitorAdminService, transport);
}

function adminTokens({ identityUrl, secret, tls }: AdminAccess): TokenSource {
  return createTokenSource({ service: 'admin', secret, identityUrl, tls });
}
