import type { Schema } from '../document/types.ts';
import type { Resolve } from './resolve.ts';

const FORMATS: Readonly<Record<string, string>> = { uuid: 'UUID', 'date-time': 'timestamp', uri: 'URL' };

/** Describes the type of a value, such as `string, 1 to 255 characters`. Does not list the values of an enum. */
export function typeWords(schema: Schema, resolve: Resolve): string {
  const types = [schema.type ?? (schema.oneOf || schema.anyOf ? 'object' : 'any')].flat();
  const [main = 'null'] = types.filter((type) => type !== 'null');
  const name = FORMATS[schema.format ?? ''] ?? (main === 'array' ? arrayWords(schema, resolve) : main);
  const bounds = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ].filter((words) => words !== undefined);
  return [`${name}${types.includes('null') ? ' or null' : ''}`, ...bounds].join(', ');
}

function arrayWords(schema: Schema, resolve: Resolve): string {
  const items = resolve(schema.items ?? {});
  const [type] = [items.type ?? (items.oneOf ? 'object' : 'value')].flat();
  return `array of ${FORMATS[items.format ?? ''] ?? type}s`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min === undefined) return `at most ${max}${unit}`;
  return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`;
}
