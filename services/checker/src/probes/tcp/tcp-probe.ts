import type { Probe } from '../../app/ports.ts';
import { runTraced } from '../connection/check-trace.ts';
import { type DialOptions, openConnection } from '../connection/open-connection.ts';
import { parseTcpConfig } from './tcp-config.ts';

/**
 * Returns the probe for tcp checks, which connect to a port. With `tls`, the handshake must succeed with a trusted
 * certificate.
 */
export function tcpProbe(dialling: DialOptions): Probe {
  return (configJson, timeoutMs) =>
    runTraced(timeoutMs, async (trace) => {
      const { host, port, tls } = parseTcpConfig(configJson);
      await openConnection(dialling, { host, port, tls: tls ? { verify: true } : undefined }, trace);
      return {};
    });
}
