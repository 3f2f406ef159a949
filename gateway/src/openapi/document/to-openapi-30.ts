import type { Document } from './types.ts';

/** Keys whose values are data. Data may look like schemas but is not converted. */
const DATA = new Set(['example', 'default', 'enum', 'mapping']);

/**
 * Returns an OpenAPI 3.1 document as version 3.0.3, for generators that can't read `type: [string, "null"]`. Leaves out
 * webhooks, because 3.0 does not support them.
 */
export function toOpenApi30({ webhooks: _, info, ...document }: Document): object {
  const { license, ...rest } = info;
  return {
    ...(convert(document) as object),
    openapi: '3.0.3',
    info: { ...rest, ...(license && { license: { name: license.name } }) },
  };
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const converted = Object.entries(node).map(([key, value]) => [key, DATA.has(key) ? value : convert(value)]);
  return convertBinary(convertTypes(convertExamples(Object.fromEntries(converted))));
}

type Node = Readonly<Record<string, unknown>>;

function convertExamples({ examples, ...node }: Node): Node {
  if (!Array.isArray(examples)) return examples === undefined ? node : { ...node, examples };
  return { ...node, example: examples[0] };
}

/** Replaces the type null with `nullable`, and several types with `anyOf`. */
function convertTypes(node: Node): Node {
  const { type, ...rest } = node;
  if (!Array.isArray(type)) return node;
  const types = type.filter((name) => name !== 'null');
  const nullable = types.length < type.length && { nullable: true };
  if (types.length === 1) return { type: types[0], ...rest, ...nullable };
  return { ...rest, ...nullable, anyOf: types.map((name) => ({ type: name })) };
}

/** Adds a type to binary bodies. They have none in 3.1, but 3.0 requires one. */
function convertBinary(node: Node): Node {
  const { schema } = node;
  const isUntyped = typeof schema === 'object' && schema !== null && !UNTYPED.some((key) => key in schema);
  return isUntyped ? { ...node, schema: { type: 'string', format: 'binary', ...schema } } : node;
}

const UNTYPED = ['type', '$ref', 'oneOf', 'anyOf', 'properties'];
