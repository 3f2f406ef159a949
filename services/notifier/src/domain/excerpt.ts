/** Maximum length of the stored part of a response, in characters. */
export const MAX_EXCERPT = 500;

/**
 * Returns the beginning of a response's body for storing and showing; undefined if the body is empty. Removes secrets
 * and replaces control characters.
 */
export function excerptOf(body: string, secrets: readonly string[]): string | undefined {
  // Replace secrets before truncating the text, so that no part of a secret remains.
  let text = body;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  // Replace control characters, because PostgreSQL refuses NUL and the others are invisible.
  const shown = text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd').trim();
  if (shown === '') return undefined;
  return shown.length <= MAX_EXCERPT ? shown : `${shown.slice(0, MAX_EXCERPT).replace(/[\ud800-\udbff]$/, '')}…`;
}
