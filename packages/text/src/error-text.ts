/** Characters (UTF-16 code units) of the error text of a check. */
export const MAX_ERROR_LENGTH = 1_000;

/** Returns an error text cut to MAX_ERROR_LENGTH. */
export function cutErrorText(text: string): string {
  return text.length <= MAX_ERROR_LENGTH ? text : `${text.slice(0, MAX_ERROR_LENGTH - 1).toWellFormed()}…`;
}
