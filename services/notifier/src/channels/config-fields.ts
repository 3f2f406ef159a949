import type { FieldErrorCollector } from '@tocsin/errors';
import type { ChannelConfig } from '../domain/channel-config.ts';

/** Format of a string field in a configuration. */
export interface TextRule {
  readonly pattern: RegExp;
  /** Description of the pattern. In error messages it follows "must be". */
  readonly mustBe: string;
  readonly optional?: boolean;
}

/** Format of a token, key or id that is copied unchanged into a header or a field. */
export const WORD: TextRule = {
  pattern: /^[\x21-\x7e]{1,255}$/,
  mustBe: 'at most 255 visible ASCII characters without spaces',
};

/** Format of a display name. */
export const LABEL: TextRule = {
  pattern: /^\P{Cc}{1,255}$/u,
  mustBe: 'at most 255 characters without line breaks',
  optional: true,
};

/** Adds an error for each invalid string of a configuration. */
export function checkTexts(
  config: ChannelConfig,
  rules: Readonly<Record<string, TextRule>>,
  errors: FieldErrorCollector,
): void {
  for (const [name, { pattern, mustBe, optional = false }] of Object.entries(rules)) {
    const value = config[name];
    if (!isPresent(value)) {
      if (!optional) errors.add(`config.${name}`, 'is required');
    } else if (typeof value !== 'string') errors.add(`config.${name}`, 'must be a string');
    else if (!pattern.test(value)) errors.add(`config.${name}`, `must be ${mustBe}`);
  }
}

/** Returns a string field of a validated configuration; undefined if the field is absent. */
export function textOf(config: ChannelConfig, name: string): string | undefined {
  const value = config[name];
  return isPresent(value) ? String(value) : undefined;
}

/** Whether a value is present. An empty string counts as absent. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
