/** Maps a nullable string of a PATCH body: undefined keeps the value, null clears it. */
export function nullableText(value: string | null | undefined): { value?: string } | undefined {
  if (value === undefined) return undefined;
  return value === null ? {} : { value };
}
