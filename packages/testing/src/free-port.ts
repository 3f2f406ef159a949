import { pickFreePort } from '@tocsin/dev-servers/ports';

/** A port on the loopback addresses that nobody listens on right now. */
export function freePort(): Promise<number> {
  return pickFreePort();
}
