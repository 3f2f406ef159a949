import { contains, equals, show } from './equals.ts';

type Matcher = (actual: unknown, ...expected: unknown[]) => boolean;

const text = (value: unknown) => (typeof value === 'string' ? value : String(value));

/** Matchers for plain values, by name. */
const MATCHERS: Readonly<Record<string, Matcher>> = {
  toBe: (actual, expected) => Object.is(actual, expected),
  toEqual: equals,
  toStrictEqual: equals,
  toMatchObject: contains,
  toContain: (actual, expected) =>
    typeof actual === 'string'
      ? actual.includes(text(expected))
      : [...(actual as Iterable<unknown>)].includes(expected),
  toContainEqual: (actual, expected) => [...(actual as Iterable<unknown>)].some((item) => equals(item, expected)),
  toMatch: (actual, expected) =>
    expected instanceof RegExp ? expected.test(text(actual)) : text(actual).includes(text(expected)),
  toHaveLength: (actual, expected) => (actual as ArrayLike<unknown>).length === expected,
  toHaveProperty: (actual, path, ...value) => {
    const found = text(path)
      .split('.')
      .reduce<unknown>(
        (inner, key) => (inner === undefined || inner === null ? undefined : Object(inner)[key]),
        actual,
      );
    return value.length > 0 ? equals(found, value[0]) : found !== undefined;
  },
  toBeTruthy: (actual) => Boolean(actual),
  toBeFalsy: (actual) => !actual,
  toBeNull: (actual) => actual === null,
  toBeUndefined: (actual) => actual === undefined,
  toBeDefined: (actual) => actual !== undefined,
  toBeNaN: (actual) => Number.isNaN(actual),
  toBeGreaterThan: (actual, expected) => Number(actual) > Number(expected),
  toBeGreaterThanOrEqual: (actual, expected) => Number(actual) >= Number(expected),
  toBeLessThan: (actual, expected) => Number(actual) < Number(expected),
  toBeLessThanOrEqual: (actual, expected) => Number(actual) <= Number(expected),
  toBeCloseTo: (actual, expected, digits = 2) =>
    Math.abs(Number(actual) - Number(expected)) < 10 ** -Number(digits) / 2,
  toBeInstanceOf: (actual, type) => typeof type === 'function' && actual instanceof type,
  toThrow: (actual, message) => {
    try {
      (actual as () => unknown)();
      return false;
    } catch (error) {
      return message === undefined || text(error).includes(text(message));
    }
  },
};

/**
 * Returns the matchers for a value. A matcher calls `fail` if the value does not match or, with `negated`, if it
 * matches.
 */
export function expectValue(actual: unknown, negated: boolean, fail: (message: string) => never) {
  return Object.fromEntries(
    Object.entries(MATCHERS).map(([name, holds]) => [
      name,
      (...expected: unknown[]) => {
        if (holds(actual, ...expected) !== negated) return;
        const words = expected.length > 0 ? ` ${expected.map(show).join(', ')}` : '';
        fail(`expected ${show(actual)} ${negated ? 'not ' : ''}${spell(name)}${words}`);
      },
    ]),
  );
}

/** Splits a name into words: `toHaveText` → `to have text`. */
export function spell(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.length > 1 ? capitals : capitals.toLowerCase()}`);
}
