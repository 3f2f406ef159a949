import type { FieldErrorCollector } from '@tocsin/errors';

/** Names a required one-line text that is blank, longer than `max` characters (code points), or holds control characters. */
export function checkLine(errors: FieldErrorCollector, field: string, text: string, max: number): void {
  if (text.trim() === '') errors.add(field, 'is required');
  else if ([...text].length > max) errors.add(field, `must be at most ${max} characters`);
  else if (/\p{Cc}/u.test(text)) errors.add(field, 'may not contain control characters');
}

/** Names a text that is longer than `max` characters, or holds control characters other than line breaks and tabs. */
export function checkProse(errors: FieldErrorCollector, field: string, text: string | undefined, max: number): void {
  if (text === undefined) return;
  if ([...text].length > max) errors.add(field, `must be at most ${max} characters`);
  else if (/(?![\n\r\t])\p{Cc}/u.test(text)) errors.add(field, 'may not contain control characters');
}
