import { createMask } from '../../../domain/mask-secrets.ts';

/**
 * Returns whether two values are deeply equal. Supports plain objects, arrays, dates and regular expressions, but not
 * sets and maps.
 */
export function equals(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Date || b instanceof Date) return String(a) === String(b) && +Object(a) === +Object(b);
  if (a instanceof RegExp || b instanceof RegExp) return String(a) === String(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return keysOf(a).length === keysOf(b).length && contains(a, b);
}

/** Returns whether an object contains all properties of another one, recursively. */
export function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole !== 'object' || typeof part !== 'object' || whole === null || part === null)
    return equals(whole, part);
  return keysOf(part).every((key) => equals(Reflect.get(whole, key), Reflect.get(part, key)));
}

/** Returns the keys whose values are not undefined. */
function keysOf(value: object): string[] {
  return Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined);
}

const MAX_SHOWN = 200;

let mask = createMask(new Map());

/** Sets the secrets that `show` masks. A process runs only one script. */
export function hideInErrors(secrets: Readonly<Record<string, string>>): void {
  mask = createMask(new Map(Object.entries(secrets)));
}

/**
 * Formats a value for an error message. Secrets are masked here, because the host would not recognize a truncated
 * secret.
 */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (value instanceof RegExp || typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = 'an object that JSON can not show';
  }
  const shown = mask(text, MAX_SHOWN);
  return text.length > MAX_SHOWN && shown.length === MAX_SHOWN ? `${shown}…` : shown;
}
