import type { Tls } from '@tocsin/runtime';
import { buildConnector, Pool } from 'undici';

/** Returns a pool of HTTP connections to a service, with TLS if this process has certificates. */
export function connectService(url: string, options: Omit<Pool.Options, 'connect'>, tls: Tls | undefined): Pool {
  if (!tls) return new Pool(url, options);
  const timeout = options.connectTimeout ?? undefined;
  // A new connector is created for each connection, because the certificates may have been replaced.
  const connect: buildConnector.connector = (target, callback) =>
    buildConnector({ secureContext: tls.context(), maxCachedSessions: 0, ...(timeout && { timeout }) })(
      target,
      callback,
    );
  return new Pool(url, { ...options, connect });
}
