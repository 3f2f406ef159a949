/** Maximum length of the stored part of a response, in characters. */
export const MAX_EXCERPT = 500;

/**
 * Returns the beginning of a response's body for storing and showing, with secrets removed and control characters
 * replaced; undefined if empty.
 */
export function excerptOf(body: string, secrets: readonly string[]): string | undefined {
  // Secrets are replaced before the text is cut, so none remains in part.
  let text = body;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  // PostgreSQL refuses NUL, and other control characters are invisible.
  const shown = text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd').trim();
  if (shown === '') return undefined;
  return shown.length <= MAX_EXCERPT ? shown : `${shown.slice(0, MAX_EXCERPT).replace(/[\ud800-\udbff]$/, '')}…`;
}
