/** What is wrong with a wanted place among siblings; undefined when nothing is, or none is wanted. */
export function problemOfPosition(position = 0): string | undefined {
  return position < 0 ? 'must be at least 0' : undefined;
}
