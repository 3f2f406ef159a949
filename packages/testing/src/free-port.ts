import { pickFreePort } from '@tocsin/dev-servers/ports';

/** Returns a port that is currently free on the loopback addresses. */
export function freePort(): Promise<number> {
  return pickFreePort();
}
