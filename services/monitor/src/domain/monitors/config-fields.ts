import type { FieldErrorCollector } from '@tocsin/errors';

/** A rule for the value of a field: a predicate for valid values, and the error message for other values. */
export interface FieldRule {
  readonly holds: (value: unknown) => boolean;
  readonly words: string;
}

export type ConfigRules = Readonly<Record<string, FieldRule & { readonly required?: true }>>;

/**
 * Checks the fields that have a rule. Adds an error `config.<field>` for each of these fields that is missing or
 * invalid. Ignores other fields.
 */
export function checkFields(config: Record<string, unknown>, rules: ConfigRules, errors: FieldErrorCollector): void {
  for (const [field, { required, holds, words }] of Object.entries(rules)) {
    const value = Object.hasOwn(config, field) ? config[field] : undefined;
    if (value === undefined) errors.add(`config.${field}`, required ? 'is required' : undefined);
    else if (!holds(value)) errors.add(`config.${field}`, words);
  }
}

export const flag: FieldRule = { holds: (value) => typeof value === 'boolean', words: 'must be true or false' };

/** Returns the rule for a string of at most `maxBytes` bytes of UTF-8. */
export function text(maxBytes: number): FieldRule {
  return {
    holds: (value) => typeof value === 'string' && Buffer.byteLength(value) <= maxBytes,
    words: `must be a string of at most ${maxBytes} bytes`,
  };
}

export function integer(min: number, max: number): FieldRule {
  return { holds: isIntegerBetween(min, max), words: `must be an integer between ${min} and ${max}` };
}

export function oneOf(words: readonly string[]): FieldRule {
  return {
    holds: (value) => typeof value === 'string' && words.includes(value),
    words: `must be one of ${words.join(', ')}`,
  };
}

export function isIntegerBetween(min: number, max: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

export function isListOf(holds: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(holds);
}

/** Returns whether a value is a host name or an IP address, without a port. */
export function isHost(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || Buffer.byteLength(value) > 253) return false;
  return isIpv6(value) || (!/[\s/\\?#@:%[\]]/.test(value) && URL.canParse(`http://${value}/`));
}

/**
 * Returns whether a value is an IP address with an optional port: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`,
 * `[2001:db8::53]:5353`.
 */
export function isIpWithPort(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [, v6, v4, port] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value) ?? [undefined, value];
  const isPort = port === undefined || isIntegerBetween(1, 65_535)(Number(port));
  return isPort && (v4 === undefined ? isIpv6(v6 ?? '') : isIpv4(v4));
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]/`);
}
