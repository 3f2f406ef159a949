/** Returns whether a string is a valid label of a region, such as `us-east`. */
export function isRegion(label: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(label);
}
