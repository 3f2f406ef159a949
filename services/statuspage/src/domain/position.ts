/** Returns what is wrong with a requested position; undefined for a valid or an absent one. */
export function problemOfPosition(position = 0): string | undefined {
  return position < 0 ? 'must be at least 0' : undefined;
}
