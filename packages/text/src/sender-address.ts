import { isEmail } from './is-email.ts';

/**
 * Returns the email address of a sender, given as `Tocsin <tocsin@example.com>` or as an address alone; undefined for
 * other strings.
 */
export function senderAddress(text: string): string | undefined {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
  return isEmail(address) ? address : undefined;
}
