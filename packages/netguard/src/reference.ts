/** An endpoint that is expected to be reachable whenever this installation is connected. */
export interface Reference {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host:port` entries, separated by commas; an IPv6 address stands in brackets.
 *
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

/** Three providers that accept TCP everywhere, by name, so that broken name resolution is noticed, too. */
export const PUBLIC_RESOLVERS = 'one.one.one.one:443,dns.google:443,dns.quad9.net:443';
