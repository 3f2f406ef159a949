import type { Probe } from '../app/ports.ts';
import { parseTcpConfig } from '../domain/tcp-config.ts';
import { type Dialling, openConnection } from './open-connection.ts';
import { watch } from './watch.ts';

/** Checks that a port takes connections, and with `tls` that the handshake succeeds with a trusted certificate. */
export function tcpProbe(dialling: Dialling): Probe {
  return (configJson, timeoutMs) =>
    watch(timeoutMs, async (trace) => {
      const { host, port, tls } = parseTcpConfig(configJson);
      await openConnection(dialling, { host, port, tls: tls ? { verify: true } : undefined }, trace);
      return {};
    });
}
