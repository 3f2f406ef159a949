/** Returns the reason why a requested position is invalid; undefined if it is valid or absent. */
export function problemOfPosition(position = 0): string | undefined {
  return position < 0 ? 'must be at least 0' : undefined;
}
