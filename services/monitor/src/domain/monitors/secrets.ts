import { type CheckType, mayHaveSecrets } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';

/** Values of a monitor's secrets by name. */
export type Secrets = ReadonlyMap<string, string>;

/** Changes to secrets by name: a new value, or null to remove the secret. */
export type SecretChanges = ReadonlyMap<string, string | null>;

const MAX_SECRETS = 50;
/** Maximum size of a secret's value, in bytes; equal to the maximum size of a header value. */
const MAX_BYTES = 8_192;

/** Maximum total size of the values of a monitor's secrets, in bytes. */
export const MAX_SECRETS_BYTES = 64 * 1024;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const REFERENCE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/**
 * Returns the names of the secrets that a string refers to as `{{NAME}}`, without duplicates. Braces around anything
 * else have no meaning.
 */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(REFERENCE)].map(([, name = '']) => name))];
}

/**
 * Returns the secrets after the changes. Adds an error for each invalid name or value; error messages don't contain
 * values.
 */
export function changeSecrets(
  checkType: CheckType,
  before: Secrets,
  changes: SecretChanges,
  errors: FieldErrorCollector,
): Secrets {
  if (changes.size > 0 && !mayHaveSecrets(checkType)) {
    errors.add('secrets', `are for http and synthetic monitors only; this one is of type ${checkType}`);
    return before;
  }
  const after = new Map(before);
  for (const [name, value] of changes) {
    if (value === null) after.delete(name);
    else {
      errors.add(NAME.test(name) ? `secrets.${name}` : 'secrets', problemOf(name, value));
      after.set(name, value);
    }
  }
  const bytes = [...after.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > MAX_SECRETS_BYTES) {
    errors.add('secrets', `must be at most ${MAX_SECRETS_BYTES} bytes in sum, and would be ${bytes}`);
  }
  if (after.size > MAX_SECRETS) errors.add('secrets', `must be at most ${MAX_SECRETS} in all`);
  return after;
}

/** Returns whether two sets of secrets have the same names and values. */
export function haveSameSecrets(one: Secrets, other: Secrets): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}

function problemOf(name: string, value: string): string | undefined {
  if (!NAME.test(name))
    return `can't have the name "${name.slice(0, 64)}": letters, digits and _, at most 64, no digit at the start`;
  const bytes = Buffer.byteLength(value);
  if (bytes === 0 || bytes > MAX_BYTES) return `must be a string of 1 to ${MAX_BYTES} bytes`;
  return value.isWellFormed() ? undefined : 'must be valid Unicode';
}
