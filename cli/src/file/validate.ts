import { isObject } from '../json.ts';
import { type Schema, typesOf } from '../schema.ts';
import { nearest } from './nearest.ts';

export type Path = readonly (string | number)[];

/** A problem with a value or a key in the file. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  /** Whether the problem is with the key at the end of the path, not with its value. */
  readonly isKey?: boolean;
}

export interface Findings {
  readonly errors: Finding[];
  readonly warnings: Finding[];
}

/** Collects all the ways in which a value violates a schema. */
export function validate(value: unknown, schema: Schema, path: Path, findings: Findings): void {
  const report = (message: string) => findings.errors.push({ path, message });
  const variant = variantOf(value, schema);
  if (typeof variant === 'string') {
    report(variant);
    return;
  }
  if (variant !== schema) {
    validate(value, variant, path, findings);
    return;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    report(`must be ${types.map(spelledType).join(' or ')}${hintFor(value, types)}`);
    return;
  }
  if (value === null) return;
  if (schema.enum && !schema.enum.some((item) => item === value)) {
    const words = schema.enum.map(String);
    report(`must be one of ${words.join(', ')}${suggestion(String(value), words)}`);
    return;
  }
  if (typeof value === 'string') checkText(value, schema, report);
  else if (typeof value === 'number') checkNumber(value, schema, report);
  else if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
    if (value.length < minItems) report(`must have at least ${minItems} item${minItems === 1 ? '' : 's'}`);
    if (value.length > maxItems) report(`must have at most ${maxItems} items; it has ${value.length}`);
    if (items) for (const [index, item] of value.entries()) validate(item, items, [...path, index], findings);
  } else if (isObject(value)) checkObject(value, schema, path, findings);
}

function checkText(
  value: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, ...schema }: Schema,
  report: (message: string) => void,
): void {
  const length = [...value].length;
  const pattern = schema.pattern ?? schema['x-pattern'];
  const format = schema.format ?? schema['x-format'];
  if (length < minLength) report(minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`);
  else if (length > maxLength) report(`must have at most ${maxLength} characters; it has ${length}`);
  else if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    report(schema['x-pattern-message'] ?? `must match ${pattern}`);
  } else if (format === 'uri' && !isHttpUrl(value)) report('must be an http or https URL');
  // A URL with credentials is refused, because everybody who sees a monitor sees its URL.
  else if (schema.format === 'uri' && new URL(value).username + new URL(value).password !== '') {
    report('must not contain a user name or password; use a header with a secret');
  }
}

function checkNumber(value: number, { minimum, maximum }: Schema, report: (message: string) => void): void {
  if (minimum !== undefined && value < minimum) report(`must be at least ${minimum}; it is ${value}`);
  if (maximum !== undefined && value > maximum) report(`must be at most ${maximum}; it is ${value}`);
}

function checkObject(value: object, schema: Schema, path: Path, findings: Findings): void {
  const { properties = {}, required = [], additionalProperties, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const names = Object.keys(properties);
  for (const name of required) {
    if (!Object.hasOwn(value, name)) findings.errors.push({ path, message: `needs "${name}"` });
  }
  if (Object.keys(value).length > maxProperties) {
    findings.errors.push({ path, message: `must have at most ${maxProperties} keys` });
  }
  for (const [name, item] of Object.entries(value)) {
    const at = [...path, name];
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) validate(item, property, at, findings);
    else if (typeof additionalProperties === 'object') validate(item, additionalProperties, at, findings);
    else if (additionalProperties === false) {
      const hint = suggestion(name, names) || `; possible here: ${names.join(', ')}`;
      findings.errors.push({ path: at, message: `is not known here${hint}`, isKey: true });
    } else if (names.length > 0) {
      const message = `is not known and has no effect${suggestion(name, names)}`;
      findings.warnings.push({ path: at, message, isKey: true });
    }
  }
}

/**
 * Returns the union variant that fits the value, by discriminator, type or required keys. Returns the schema itself if
 * it is not a union, and a message if no variant fits.
 */
function variantOf(value: unknown, schema: Schema): Schema | string {
  const { oneOf: variants, discriminator } = schema;
  if (!variants) return schema;
  if (discriminator) {
    const { propertyName } = discriminator;
    const words = variants.flatMap(({ properties }) => properties?.[propertyName]?.enum ?? []).map(String);
    if (!isObject(value)) return `must be an object with "${propertyName}"`;
    const word = value[propertyName];
    if (word === undefined) return `needs "${propertyName}": one of ${words.join(', ')}`;
    const found = variants.find(({ properties }) => properties?.[propertyName]?.enum?.some((item) => item === word));
    if (found) return found;
    return `has an unknown "${propertyName}"; it must be one of ${words.join(', ')}${suggestion(String(word), words)}`;
  }
  const fitting = variants.filter((variant) => typesOf(variant).some((type) => isOfType(value, type)));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const keys = variants.flatMap(({ required = [] }) => required);
  const byKey = isObject(value) && fitting.find(({ required = [] }) => required.every((key) => key in value));
  if (byKey) return byKey;
  if (fitting.length > 1) return `needs one of ${keys.map((key) => `"${key}"`).join(' and ')}`;
  return `must be ${variants.flatMap(typesOf).map(spelledType).join(' or ')}`;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

const SPELLED: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function spelledType(type: string): string {
  return SPELLED[type] ?? type;
}

function hintFor(value: unknown, types: readonly string[]): string {
  if (types.includes('string') && ['number', 'boolean'].includes(typeof value)) return `: write "${value}" in quotes`;
  if (typeof value === 'string' && value !== '') {
    if (types.includes('boolean') && /^(yes|no|on|off)$/i.test(value)) return '; YAML 1.2 reads yes and no as texts';
    if (types.some((type) => ['integer', 'number'].includes(type)) && !Number.isNaN(Number(value))) {
      return ': write it without quotes';
    }
  }
  return '';
}

function suggestion(word: string, words: readonly string[]): string {
  const similar = nearest(word, words);
  return similar === undefined ? '' : `; do you mean "${similar}"?`;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text);
}
