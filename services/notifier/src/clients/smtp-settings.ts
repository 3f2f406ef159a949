import { senderAddress } from '@tocsin/text';

/** The address of an SMTP server; undefined for an empty text. @throws Error that never repeats the password in it. */
export function parseSmtpUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isSmtp = url && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
  if (!isSmtp) throw new Error('must be an address such as smtp://user:password@mail.example.com:587 or smtps://…');
  return text;
}

/** `Tocsin <tocsin@example.com>` or the address alone. @throws Error for anything else. */
export function parseSender(text: string): string {
  if (senderAddress(text) === undefined) throw new Error('must be a mail address such as Tocsin <tocsin@example.com>');
  return text;
}
