import { pascalCase, singular } from './operation-id.ts';
import type { Document, Operation, Response, Schema } from './types.ts';

const JSON_TYPE = 'application/json';

/**
 * Names every request and response schema, so that each appears once in the document. The response of `getMonitor`
 * becomes `Monitor`, the body of `createMonitor` becomes `CreateMonitor`. Equal schemas have the same name everywhere.
 */
export function nameSchemas(document: Document, known: Readonly<Record<string, Schema>>): Document {
  const names = new Map<string, string>();
  const schemas: Record<string, Schema> = {};

  function name(schema: Schema | undefined, ...wanted: readonly string[]): void {
    const key = schema && keyOf(schema);
    if (!key || !(schema.properties || schema.oneOf) || names.has(key)) return;
    const free = wanted.find((candidate) => !(candidate in schemas));
    if (!free) throw new Error(`two different schemas want to be called ${wanted.join(' and ')}`);
    names.set(key, free);
    schemas[free] = schema;
  }

  /** Names the variants of a schema, because the discriminator of the schema refers to them by name. */
  function nameTitled(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) if (!isData(key)) nameTitled(value);
    const { title } = node as Schema;
    if (title !== undefined && 'properties' in node) name(node as Schema, title);
  }

  nameTitled(document.paths);
  nameTitled(document.webhooks);
  for (const [wanted, schema] of Object.entries(known)) name(schema, wanted);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  // Operations with GET come first, because their schema names are also used for lists and for the responses to
  // creations and changes.
  for (const { operationId = '', responses } of operations.toSorted((a, b) => rank(a) - rank(b))) {
    const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
    const data = dataOf(responses);
    if (verb === 'get') name(data, noun);
    else
      name(
        data?.items ?? data,
        ...(verb === 'list' ? [singular(noun), `${singular(noun)}Summary`] : []),
        `${pascalCase(operationId)}Result`,
      );
  }
  for (const { operationId = '', requestBody } of operations) {
    name(requestBody?.content[JSON_TYPE]?.schema, pascalCase(operationId));
  }

  function refer(node: unknown, isDefinition = false): unknown {
    if (Array.isArray(node)) return node.map((item) => refer(item));
    if (typeof node !== 'object' || node === null) return node;
    const known = isDefinition || !isNameable(node) ? undefined : names.get(keyOf(node));
    if (known) return { $ref: `#/components/schemas/${known}` };
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, isData(key) ? value : refer(value)]));
  }

  const named = Object.entries(schemas).map(([key, schema]) => [key, refer(schema, true)]);
  // The cast is safe, because refer() changes nothing except that it replaces schemas with references.
  return {
    ...(refer(document) as Document),
    components: { ...(refer(document.components) as Document['components']), schemas: Object.fromEntries(named) },
  };
}

function isNameable(node: object): boolean {
  return 'properties' in node || 'oneOf' in node;
}

function rank({ operationId = '' }: Operation): number {
  if (operationId.startsWith('get')) return 0;
  return operationId.startsWith('list') ? 1 : 2;
}

function dataOf(responses: Operation['responses']): Schema | undefined {
  const success = Object.entries(responses).find(([status]) => status < '300')?.[1];
  return (success as Response | undefined)?.content?.[JSON_TYPE]?.schema.properties?.data;
}

/**
 * Returns whether the values below a key are data, such as examples. Data may look like schemas but is not replaced.
 */
function isData(key: string): boolean {
  return key === 'example' || key === 'examples' || key === 'default';
}

/** Returns the same text for equal schemas, regardless of the order of their keys. */
function keyOf(schema: object): string {
  return JSON.stringify(schema, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
