import type { CheckType } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
/** A monitor's secret variables by name. */
export type Secrets = ReadonlyMap<string, string>;

/** What to do with each named secret: a new value, or null to remove it. */
export type SecretChanges = ReadonlyMap<string, string | null>;

const MAX_SECRETS = 50;
/** As long as a header that is nothing but the secret. */
const MAX_BYTES = 8_192;

/** Bytes of all values of a monitor together. */
export const MAX_SECRETS_BYTES = 64 * 1024;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const REFERENCE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/** Whether monitors of a type can refer to secrets at all. */
export function mayHaveSecrets(checkType: CheckType): boolean {
  return checkType === 'http' || checkType === 'synthetic';
}

/** Returns the secrets that a text refers to as `{{NAME}}`, each once. Anything else in braces is text. */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(REFERENCE)].map(([, name = '']) => name))];
}

/** The secrets after some changes. Every name or value that is wrong is named in `errors`, and no value is repeated. */
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

function problemOf(name: string, value: string): string | undefined {
  if (!NAME.test(name))
    return `can't have the name "${name.slice(0, 64)}": letters, digits and _, at most 64, no digit at the start`;
  const bytes = Buffer.byteLength(value);
  if (bytes === 0 || bytes > MAX_BYTES) return `must be a string of 1 to ${MAX_BYTES} bytes`;
  return value.isWellFormed() ? undefined : 'must be valid Unicode';
}
