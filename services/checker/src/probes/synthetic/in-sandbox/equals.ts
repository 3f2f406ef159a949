import { hideSecrets } from '../../../domain/fill-secrets.ts';

/** Deep equality of what scripts compare: plain objects, arrays, dates, patterns, sets and maps aside. */
export function equals(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Date || b instanceof Date) return String(a) === String(b) && +Object(a) === +Object(b);
  if (a instanceof RegExp || b instanceof RegExp) return String(a) === String(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return keysOf(a).length === keysOf(b).length && contains(a, b);
}

/** Whether an object has at least what another one has, at any depth. */
export function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole !== 'object' || typeof part !== 'object' || whole === null || part === null)
    return equals(whole, part);
  return keysOf(part).every((key) => equals(Reflect.get(whole, key), Reflect.get(part, key)));
}

/** Those of undefined values don't count. */
function keysOf(value: object): string[] {
  return Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined);
}

const known = new Map<string, string>();

/** Lets `show` leave out what must not be told. This process runs one script, so that there is one set of secrets. */
export function hideInErrors(secrets: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(secrets)) known.set(name, value);
}

/** A value as an error shows it. Secrets go before it is cut: the host would not find half of one. */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (value instanceof RegExp || typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = 'an object that JSON can not show';
  }
  const told = hideSecrets(text, known);
  return told.length > 200 ? `${told.slice(0, 200)}…` : told;
}
