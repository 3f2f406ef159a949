const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a string has the form of an id. Others are treated like ids that do not exist. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
