/** An endpoint that is reachable whenever this installation has a working network connection. */
export interface Reference {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses a comma-separated list of `host:port`, with IPv6 addresses in brackets.
 * @throws Error that names the invalid entry.
 */
export function parseReferences(text: string): Reference[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(parseReference);
}

function parseReference(entry: string): Reference {
  const [, literal, name, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(entry) ?? [];
  const host = literal ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`"${entry}" is not host:port, for example one.one.one.one:443`);
  return { host, port: Number(port) };
}

/**
 * Three independent providers that accept TCP connections worldwide. They have host names, so that a failure of name
 * resolution is detected as well.
 */
export const PUBLIC_RESOLVERS = 'one.one.one.one:443,dns.google:443,dns.quad9.net:443';
