import type { Probe } from '../../app/ports.ts';
import { watch } from '../connection/check-trace.ts';
import { type Dialling, openConnection } from '../connection/open-connection.ts';
import { parseTcpConfig } from './tcp-config.ts';

/** Checks that a port takes connections, and with `tls` that the handshake succeeds with a trusted certificate. */
export function tcpProbe(dialling: Dialling): Probe {
  return (configJson, timeoutMs) =>
    watch(timeoutMs, async (trace) => {
      const { host, port, tls } = parseTcpConfig(configJson);
      await openConnection(dialling, { host, port, tls: tls ? { verify: true } : undefined }, trace);
      return {};
    });
}
