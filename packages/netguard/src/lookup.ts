import type { LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Address } from './host.ts';

type LookupCallback = Parameters<LookupFunction>[2];

/** Returns a `lookup` function for `net`, `tls` and `http` that returns the given, already vetted addresses. */
export function pinnedLookup(addresses: readonly Address[]): LookupFunction {
  return (hostname, options, callback) => {
    // The callback is asynchronous. Otherwise the socket would emit its 'lookup' event before its owner can listen.
    process.nextTick(answerLookup, hostname, addresses, options, callback);
  };
}

/** Returns addresses in the requested form: one or all, of one family or both. */
export function answerLookup(
  hostname: string,
  addresses: readonly Address[],
  options: LookupOptions,
  callback: LookupCallback,
): void {
  const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
  const fitting = addresses.filter((address) => family === 0 || address.family === family);
  const [first] = fitting;
  if (!first) {
    const error = new Error(`${hostname} has no IPv${family} address`);
    callback(Object.assign(error, { code: 'ENOTFOUND', hostname }), []);
  } else if (options.all) {
    callback(null, fitting);
  } else {
    callback(null, first.address, first.family);
  }
}
