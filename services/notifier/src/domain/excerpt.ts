/** Characters of a response that are stored. */
export const MAX_EXCERPT = 500;

/**
 * Returns the beginning of a response's body as it can be stored and shown: without what is secret, and with control
 * characters replaced; undefined for an empty one.
 */
export function excerptOf(body: string, secrets: readonly string[]): string | undefined {
  // A secret that begins before the cut is blanked as a whole.
  let text = body;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL refuses NUL, and nobody can read the others
  const shown = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd').trim();
  if (shown === '') return undefined;
  return shown.length <= MAX_EXCERPT ? shown : `${shown.slice(0, MAX_EXCERPT).replace(/[\ud800-\udbff]$/, '')}…`;
}
