import fc from 'fast-check';

/** Schema of a body, with its references resolved. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** Valid values by the name of their field, such as existing ids and reachable URLs. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** Generates bodies for a schema: valid bodies, bodies with a few errors, and arbitrary ones. */
export function bodies(schema: Schema | undefined, known: Known): fc.Arbitrary<unknown> {
  if (!schema) return junk;
  const good = valid(schema, '', known);
  return fc.oneof(
    { weight: 3, arbitrary: good },
    {
      weight: 6,
      arbitrary: fc
        .tuple(good, fc.array(mutation, { minLength: 1, maxLength: 3 }))
        .map(([value, mutations]) => mutations.reduce(mutated, value)),
    },
    { weight: 1, arbitrary: junk },
  );
}

function valid(schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms) {
    const tries = known[name] ?? [];
    return fc.oneof(
      ...(tries.length > 0 ? [{ weight: 4 * forms.length, arbitrary: fc.constantFrom(...tries) }] : []),
      ...forms.map((form) => ({ weight: 1, arbitrary: valid(form, name, known) })),
    );
  }
  const types = [schema.type ?? 'object'].flat();
  const value = ofType(types[0] ?? 'null', schema, name, known);
  return types.includes('null')
    ? fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    : value;
}

function ofType(type: string, schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  const tries = [...(known[name] ?? []), ...(known[name] ? [] : (schema.examples ?? []))];
  const free = generated(type, schema, name, known);
  return tries.length === 0
    ? free
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...tries) }, { weight: 1, arbitrary: free });
}

function generated(type: string, schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const {
    minimum = -1000,
    maximum = 1_000_000,
    minLength = 0,
    maxLength = 300,
    properties,
    required = [],
    items = {},
  } = schema;
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: minimum, max: maximum });
    case 'array':
      return fc.array(valid(items, name, known), { maxLength: 4 });
    case 'object':
      if (!properties) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
      return fc.record(
        Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, valid(field, key, known)])),
        { requiredKeys: [...required] },
      );
    default:
      return fc.string({ minLength, maxLength: Math.min(maxLength, 300), unit: 'grapheme', size: 'small' });
  }
}

const texts = fc.constantFrom(
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u0007\u001b[31m',
  '\u202e',
  '😀'.repeat(256),
  'x'.repeat(70_000),
  "'; drop table monitor; --",
  '{{SECRET}}',
  '%00',
  '__proto__',
  '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f',
  '9999-99-99T99:99:99Z',
  '2026-02-30T10:00:00Z',
  'http://[',
);

const numbers = fc.constantFrom(-1, 0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 63), 2 ** 64, 1e21, 1e308, 5e-324);

/** Keys that every object inherits, or that look like paths. */
const keys = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  'a/b',
  '~',
  '0',
  'id',
  '\0',
);

const nested = fc
  .tuple(fc.integer({ min: 1, max: 2000 }), fc.boolean())
  .map(([depth, isArray]) =>
    Array.from({ length: depth }).reduce<unknown>((inner) => (isArray ? [inner] : { components: inner }), null),
  );

/** Values that are invalid in nearly every field. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}),
  texts,
  numbers,
  nested,
  fc.jsonValue(),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 50, maxLength: 300 }),
  // The keys become own properties, as with JSON.parse().
  fc.array(fc.tuple(keys, fc.jsonValue())).map((entries) => Object.fromEntries(entries)),
);

interface Mutation {
  /** Index of the key to follow at each level. */
  readonly way: readonly number[];
  readonly change:
    | { readonly kind: 'replace' | 'add'; readonly key: string; readonly value: unknown }
    | { readonly kind: 'drop' };
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  way: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 }),
  change: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('replace' as const, 'add' as const), key: keys, value: junk }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'drop' as const }) },
  ),
});

/** Returns a copy with one member replaced, added or removed. */
function mutated(value: unknown, { way: [step = 0, ...way], change }: Mutation): unknown {
  if (typeof value !== 'object' || value === null) return change.kind === 'drop' ? null : change.value;
  const entries = Object.entries(value);
  const index = step % Math.max(1, entries.length);
  const chosen = entries[index];
  if (change.kind === 'add' && way.length === 0) entries.push([change.key, change.value]);
  else if (chosen && change.kind === 'drop' && way.length === 0) entries.splice(index, 1);
  else if (chosen)
    chosen[1] = way.length === 0 && change.kind === 'replace' ? change.value : mutated(chosen[1], { way, change });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
