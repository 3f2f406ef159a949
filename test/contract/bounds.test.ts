import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type GatewayAlone, startGatewayAlone } from './gateway-alone.ts';

let gateway: GatewayAlone;
let document: unknown;
beforeAll(async () => {
  gateway = await startGatewayAlone();
  document = parse(await (await fetch(`${gateway.url}/openapi.yaml`)).text());
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** Returns the JSON pointers of all schemas that lack a bound. */
function unbounded(node: unknown, pointer = ''): string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => unbounded(item, `${pointer}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.entries(node).flatMap(([key, value]) =>
    isData(key) ? [] : unbounded(value, `${pointer}/${key}`),
  );
  return [...(isBounded(node as Schema) ? [] : [pointer]), ...inside];
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly maxLength?: unknown;
  readonly maxItems?: unknown;
  readonly maxProperties?: unknown;
  readonly properties?: unknown;
  readonly additionalProperties?: unknown;
}

function isBounded(schema: Schema): boolean {
  const types = [schema.type].flat();
  if (schema.enum || schema.const !== undefined) return true;
  if (types.includes('string') && schema.maxLength === undefined) return false;
  if (types.includes('array') && schema.maxItems === undefined) return false;
  const isMap = !schema.properties || typeof schema.additionalProperties === 'object';
  return !(types.includes('object') && isMap && schema.maxProperties === undefined);
}

/** Returns whether a key contains data instead of schemas. Such data may look like a schema. */
function isData(key: string): boolean {
  return ['example', 'examples', 'default', 'enum', 'securitySchemes'].includes(key);
}

test('every string, array and map in the document has a bound', () => {
  expect(unbounded(document)).toEqual([]);
});

test.each([
  { type: 'string' },
  { type: ['string', 'null'], format: 'uuid' },
  { type: 'array', items: { type: 'integer' } },
  { type: 'array', maxItems: 1, items: { type: 'string' } },
  { type: 'object', additionalProperties: { type: 'integer' } },
  { type: 'object', properties: { name: { type: 'string' } } },
])('the check for missing bounds reports the schema %j', (schema) => {
  expect(unbounded({ schema })).toHaveLength(1);
});

test('the document states the size limit of every body', () => {
  const { paths } = document as { paths: Record<string, Record<string, { requestBody?: { description?: string } }>> };
  const bodies = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ requestBody }) => requestBody ?? []),
  );
  expect(bodies.length).toBeGreaterThan(15);
  for (const { description } of bodies) expect(description).toMatch(/^At most \d+ KB$/);
});
