import type { FieldErrorCollector } from '@tocsin/errors';

/** Names a required text that is blank, longer than `max` characters (code points), or holds control characters. */
export function checkText(errors: FieldErrorCollector, field: string, text: string, max: number): void {
  if (text.trim() === '') errors.add(field, 'is required');
  else if ([...text].length > max) errors.add(field, `must be at most ${max} characters`);
  else if (/\p{Cc}/u.test(text)) errors.add(field, 'may not contain control characters');
}
