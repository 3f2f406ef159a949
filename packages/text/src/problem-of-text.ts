/**
 * What is wrong with a required text of one line, such as a name; undefined when nothing is. Characters are Unicode
 * code points, nothing is trimmed, and control characters are refused: what can't be seen can only deceive.
 */
export function problemOfLine(text: string, max: number): string | undefined {
  if (text === '') return 'is required';
  return problemOfLength(text, max) ?? (/\p{Cc}/u.test(text) ? CONTROL : undefined);
}

/** The same for a text that may be empty and may have line breaks and tabs. */
export function problemOfProse(text: string, max: number): string | undefined {
  return problemOfLength(text, max) ?? (/(?![\n\r\t])\p{Cc}/u.test(text) ? CONTROL : undefined);
}

const CONTROL = 'must not contain control characters';

function problemOfLength(text: string, max: number): string | undefined {
  // A character has one or two code units; most texts need no counting.
  return text.length > max && [...text].length > max ? `must be at most ${max} characters` : undefined;
}
