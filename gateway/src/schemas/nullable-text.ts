/** Absent leaves the text alone, null clears it. */
export function nullableText(value: string | null | undefined): { value?: string } | undefined {
  if (value === undefined) return undefined;
  return value === null ? {} : { value };
}
