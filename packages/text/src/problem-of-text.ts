/**
 * White space, characters that Unicode calls default ignorable because they are shown as nothing, and the empty braille
 * pattern.
 */
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Returns whether a string shows nothing: it is empty, or has only white space and invisible characters. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * Returns why a string is invalid as a required single line, such as a name; undefined if it is valid. A blank string
 * is invalid like an empty one. The length is in Unicode code points. Control characters are invalid because they are
 * invisible. The directional formatting characters of UAX #9 are invalid because they can reorder the text around them.
 * The string is not trimmed.
 */
export function problemOfLine(text: string, max: number): string | undefined {
  if (isBlank(text)) return 'is required';
  return problemOfLength(text, max) ?? (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text) ? CONTROL : undefined);
}

/**
 * Returns why a string is invalid as multi-line text, which may be empty and contain line breaks and tabs; undefined if
 * it is valid.
 */
export function problemOfProse(text: string, max: number): string | undefined {
  return problemOfLength(text, max) ?? (/(?![\n\r\t])\p{Cc}/u.test(text) ? CONTROL : undefined);
}

const CONTROL = 'must not contain control characters';

function problemOfLength(text: string, max: number): string | undefined {
  // Count code points only if the number of code units exceeds the limit, because counting is slower.
  return text.length > max && [...text].length > max ? `must be at most ${max} characters` : undefined;
}
