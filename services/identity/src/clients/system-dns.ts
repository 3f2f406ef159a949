import { Resolver } from 'node:dns/promises';
import { ServiceError } from '@tocsin/errors';
import type { Dns } from '../app/ports.ts';

/** DNS error codes that mean that the name does not exist or has no such records. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND']);

/** Queries DNS through the resolvers of this machine. */
export function systemDns(): Dns {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return {
    async texts(name) {
      try {
        // DNS splits a long value into several strings (RFC 7208 §3.3).
        return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
      } catch (error) {
        if (error instanceof Error && 'code' in error && NOTHING.has(String(error.code))) return [];
        throw new ServiceError('unavailable', `DNS did not respond for ${name}; try again`, { cause: error });
      }
    },
  };
}
