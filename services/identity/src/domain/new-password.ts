const MIN_LENGTH = 12;
const MAX_LENGTH = 200;

/**
 * Returns why a text can't be a new password of a user; undefined if it can. Counts the length in Unicode code points.
 */
export function problemOfPassword(password: string, email: string): string | undefined {
  const length = [...password].length;
  if (length < MIN_LENGTH) return `must be at least ${MIN_LENGTH} characters`;
  if (length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`;
  if (password.toLowerCase() === email.toLowerCase()) return 'must not be your mail address';
  if (new Set(password).size < 4) return 'must not repeat the same few characters';
  return undefined;
}
