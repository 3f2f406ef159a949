/** Maps a nullable field of a PATCH body: undefined keeps the value, null clears it. */
export function nullableValue<Value>(value: Value | null | undefined): { value?: Value } | undefined {
  if (value === undefined) return undefined;
  return value === null ? {} : { value };
}
