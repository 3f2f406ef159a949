import type { Schema } from './types.ts';

/** Examples by field name. A linter in the tests reports examples that don't match their schema. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  name: 'Shop',
  title: 'Checkout is slow',
  body: 'We are looking into it.',
  message: 'We are looking into it.',
  slug: 'acme',
  url: 'https://status.example.com/',
  domain: 'status.example.com',
  value: 'pages.example.net',
  current_state: 'up',
  state: 'up',
  entered_at: '2026-11-20T10:00:00.123456Z',
  previous_state: 'pending',
  down_status: 'major_outage',
  region: 'local',
  status_code: 200,
  dns: 8,
  connect: 21,
  tls: 34,
  first_byte: 87,
  total: 95,
};

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f',
  'date-time': '2026-11-20T10:00:00Z',
  uri: 'https://example.com/',
};

/** Extent of an example: all fields, or only the required ones. */
export type Extent = 'everything' | 'what is needed';

/** Returns an example of a value. The example of a nullable value is null unless BY_NAME contains one that fits. */
export function exampleOf(schema: Schema, extent: Extent, name = ''): unknown {
  if (name in BY_NAME && !schema.examples && fits(BY_NAME[name], schema)) return BY_NAME[name];
  const types = [schema.type ?? []].flat();
  if (types.includes('null')) return null;
  if (schema.examples) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  // The example of a union is its first variant, such as an http monitor or a group of a page.
  const [form] = schema.oneOf ?? schema.anyOf ?? [];
  if (form) return exampleOf(form, extent, name);
  switch (types[0]) {
    case 'object':
      return objectExample(schema, extent);
    case 'array':
      return schema.items && schema.maxItems !== 0 ? [exampleOf(schema.items, extent)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      return BY_FORMAT[schema.format ?? ''] ?? 'text';
  }
}

function objectExample({ properties = {}, required = [] }: Schema, extent: Extent): object {
  const shown = Object.entries(properties).filter(
    ([key, property]) =>
      extent === 'everything' || required.includes(key) || (property.type === 'object' && property.examples),
  );
  // Without this field, the example of a PATCH body would be empty.
  if (shown.length === 0) shown.push(...Object.entries(properties).slice(0, 1));
  return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, extent, key)]));
}

function fits(value: unknown, { type = [], enum: words }: Schema): boolean {
  const known = typeof value === 'number' ? ['integer', 'number'] : [typeof value];
  return [type].flat().some((name) => known.includes(name)) && (words?.includes(value) ?? true);
}
