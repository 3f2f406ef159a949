import { pickFreePort } from '@tocsin/dev-servers/ports';

/** Returns a port that is free on the loopback addresses right now. */
export function freePort(): Promise<number> {
  return pickFreePort();
}
