/** Maximum length of a check's error text, in UTF-16 code units. */
export const MAX_ERROR_LENGTH = 1_000;

/** Returns an error text truncated to MAX_ERROR_LENGTH. */
export function cutErrorText(text: string): string {
  return text.length <= MAX_ERROR_LENGTH ? text : `${text.slice(0, MAX_ERROR_LENGTH - 1).toWellFormed()}…`;
}
