/** Config of a tcp monitor, with the API's defaults for absent fields. */
export interface TcpConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** Parses a config that the monitor service has validated. */
export function parseTcpConfig(json: string): TcpConfig {
  const { host, port, tls = false }: { host: string; port: number; tls?: boolean } = JSON.parse(json);
  return { host, port, tls };
}
