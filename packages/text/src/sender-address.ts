import { isEmail } from './is-email.ts';

/**
 * Returns the address of a sender such as `Tocsin <tocsin@example.com>`, or of an address alone; undefined for other
 * strings.
 */
export function senderAddress(text: string): string | undefined {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
  return isEmail(address) ? address : undefined;
}
