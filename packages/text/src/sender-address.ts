import { isEmail } from './is-email.ts';

/** Returns the address in `Tocsin <tocsin@example.com>` or the address alone; undefined for anything else. */
export function senderAddress(text: string): string | undefined {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
  return isEmail(address) ? address : undefined;
}
