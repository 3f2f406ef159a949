import fc from 'fast-check';

/** Schema keywords that this module reads. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/**
 * Generates JSON texts that are expensive to process: long arrays, deep nesting, wide objects, unusual texts and
 * numbers.
 */
export function hostileBody(schema: Schema): fc.Arbitrary<string> {
  const fields = fieldsOf(schema);
  const field = fc.constantFrom(...(fields.length > 0 ? fields : ['name']));
  const whole = fc.record({ fields: fc.array(fc.tuple(field, hostileValue), { minLength: 1, maxLength: 3 }) });
  return fc.oneof(
    { weight: 6, arbitrary: whole.map(({ fields: members }) => objectText(members)) },
    {
      weight: 2,
      arbitrary: fc.tuple(field, field, hostileValue).map(([outer, inner, value]) => nestedText(outer, inner, value)),
    },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  );
}

const size = fc.constantFrom(1, 20, 101, 501, 1_001, 10_001, 50_000, 120_000);
const item = fc.constantFrom(
  '0',
  '""',
  'null',
  '{}',
  '[]',
  '"\\u0000"',
  '"x"',
  '-1',
  '1e999',
  '{"a":1}',
  '{"type":"group"}',
);

/** Generates the JSON text of a value that is invalid in most fields. */
const hostileValue: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(size, item).map(([count, text]) => `[${Array(count).fill(text).join(',')}]`),
  size.map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  size.map((depth) => `${'{"a":'.repeat(depth / 2)}1${'}'.repeat(depth / 2)}`),
  size.map((depth) => '['.repeat(depth)),
  size.map((count) => `{${Array.from({ length: count / 4 }, (_, index) => `"k${index}":${index}`).join(',')}}`),
  fc
    .tuple(size, fc.constantFrom('x', '\u0000', '\ud800', '\u202e', '😀', '€', '"', '\\', ' ', '/', '%', '<'))
    .map(([count, letter]) => JSON.stringify(letter.repeat(count))),
  size.map((count) => `{${JSON.stringify('k'.repeat(count))}:0}`),
  size.map((digits) => '9'.repeat(digits)),
  size.map((digits) => `0.${'1'.repeat(digits)}`),
  fc.constantFrom('1e400', '-0', '1E-999', '123456789012345678901234567890', 'true', 'null', 'NaN', ''),
  // A repeated key is expensive, because all of its values are parsed although only the last one counts.
  size.map((count) => `{${Array(count).fill('"url":"x"').join(',')}}`),
);

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Returns an object with an array of objects that contain the value. */
function nestedText(outer: string, inner: string, value: string): string {
  const count = Math.max(1, Math.floor(100_000 / (value.length + inner.length + 8)));
  return `{${JSON.stringify(outer)}:[${Array(Math.min(count, 5_000))
    .fill(objectText([[inner, value]]))
    .join(',')}]}`;
}

function fieldsOf(schema: Schema): string[] {
  const inside = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
  return [...new Set([...own, ...inside.flatMap(fieldsOf)])];
}
