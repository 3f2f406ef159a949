import type { Violation } from './array-sizes.ts';

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

/** An integer in JSON syntax, without an exponent. */
const INTEGER = /^-?(0|[1-9]\d{0,14})$/;

/**
 * Converts query parameters in place to the integers and booleans that the schema requires. Other strings stay
 * unchanged, and validation rejects them.
 */
export function convertQuery({ properties = {} }: QuerySchema, query: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && INTEGER.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}

/** Returns a violation for each known query parameter that was sent more than once. No parameter is a list. */
export function repeatedParameters({ properties = {} }: QuerySchema, query: Record<string, unknown>): Violation[] {
  return Object.entries(properties)
    .filter(([name]) => Array.isArray(query[name]))
    .map(([name, parentSchema]) => ({
      keyword: 'repeated',
      instancePath: `/${name}`,
      schemaPath: '',
      params: {},
      parentSchema: { ...parentSchema },
    }));
}
