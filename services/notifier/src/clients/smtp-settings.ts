import { senderAddress } from '@tocsin/text';

/**
 * Returns the URL of an SMTP server; undefined for an empty string.
 * @throws Error that never contains the password.
 */
export function parseSmtpUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isSmtp = url && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
  if (!isSmtp) throw new Error('must be an address such as smtp://user:password@mail.example.com:587 or smtps://…');
  return text;
}

/**
 * Validates a sender such as `Tocsin <tocsin@example.com>`, or an address alone, and returns it.
 * @throws Error for any other string.
 */
export function parseSender(text: string): string {
  if (senderAddress(text) === undefined) throw new Error('must be a mail address such as Tocsin <tocsin@example.com>');
  return text;
}
