/** RFC 5321 §4.5.3.1. */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;

/** A mail address as HTML's `<input type="email">` knows it; one at a bare host such as `owner@localhost` counts. */
export function isEmail(text: string): boolean {
  const shape =
    /^([\w.!#$%&'*+/=?^`{|}~-]+)@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
  const localPart = shape.exec(text)?.[1];
  return localPart !== undefined && localPart.length <= MAX_LOCAL_PART && text.length <= MAX_EMAIL;
}
