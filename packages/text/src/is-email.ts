/** Maximum length of a mail address (RFC 5321 §4.5.3.1). */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;

/**
 * Returns whether a string is a mail address by the rules of HTML's `<input type="email">`. A host without a dot, as in
 * `owner@localhost`, is allowed.
 */
export function isEmail(text: string): boolean {
  const shape =
    /^([\w.!#$%&'*+/=?^`{|}~-]+)@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
  const localPart = shape.exec(text)?.[1];
  return localPart !== undefined && localPart.length <= MAX_LOCAL_PART && text.length <= MAX_EMAIL;
}
