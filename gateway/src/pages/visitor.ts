import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** Address of the client that sent a request, and the requested host without a port. */
export interface Visitor {
  readonly address: string;
  readonly host: string;
}

/**
 * Returns a function that determines who sent a request, by Fastify's rules: it uses the headers of trusted proxies,
 * and the last entry in a list of forwarded hosts.
 */
export function visitorFinder(trustedProxies: readonly string[]): (request: IncomingMessage) => Visitor {
  if (trustedProxies.length === 0) {
    return ({ socket, headers }) => ({ address: socket.remoteAddress ?? '', host: withoutPort(headers.host ?? '') });
  }
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => {
    const { socket, headers } = request;
    const forwarded = [headers['x-forwarded-host'] ?? []].flat().join(',').split(',').at(-1)?.trim();
    const host = forwarded && isTrusted(socket.remoteAddress ?? '', 0) ? forwarded : (headers.host ?? '');
    return { address: proxyAddress(request, isTrusted), host: withoutPort(host) };
  };
}

function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1);
  const colon = host.indexOf(':');
  return colon === -1 ? host : host.slice(0, colon);
}
