const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be an id at all. One that can't is as unknown as one that never existed. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
