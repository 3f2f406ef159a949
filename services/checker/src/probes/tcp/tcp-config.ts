/** A tcp monitor's config with the contract's defaults filled in (spec: Config by type). */
export interface TcpConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** Reads what the monitor service has validated. */
export function parseTcpConfig(json: string): TcpConfig {
  const { host, port, tls = false }: { host: string; port: number; tls?: boolean } = JSON.parse(json);
  return { host, port, tls };
}
