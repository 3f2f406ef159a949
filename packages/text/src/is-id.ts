const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether a string has the format of an id. Callers treat other strings like ids that do not exist. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
