import { placeholdersIn, TEMPLATE_VARIABLES } from '@tocsin/enums';

interface KnownFields {
  readonly items?: KnownFields;
  readonly properties?: Readonly<Record<string, KnownFields>>;
  readonly additionalProperties?: unknown;
  /** Variants of the object, each with its own fields, as withVariants() declares them. */
  readonly 'x-document'?: {
    readonly oneOf?: readonly KnownFields[];
    readonly discriminator?: { readonly propertyName: string };
  };
  readonly enum?: readonly unknown[];
}

/** Maximum number of names. More would make the header longer than some proxies allow. */
export const MAX_NAMES = 20;
const MAX_NAME = 64;

/** Maximum number of fields and list items that are checked. A body with more is not valid. */
const MAX_CHECKED = 20_000;

/**
 * Returns the paths of fields in a body that are not in its schema, 20 at most. A field that only other variants of its
 * object have counts as such a field. Checks at most 20,000 fields and items.
 */
export function ignoredFields(schema: KnownFields, body: unknown): string[] {
  const names: string[] = [];
  let checked = 0;
  const isDone = () => names.length >= MAX_NAMES || checked >= MAX_CHECKED;

  function visit(value: unknown, known: KnownFields, path: string): void {
    if (Array.isArray(value)) {
      if (known.items) visitItems(value, known.items, path);
      return;
    }
    if (!isObject(value)) return;
    const { properties, additionalProperties } = variantOf(known, value);
    if (!properties || additionalProperties) return;
    for (const name in value) {
      if (isDone()) return;
      checked += 1;
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema) visit(value[name], schema, `${path}${name}.`);
      else names.push(`${path}${name}`);
    }
  }

  function visitItems(items: readonly unknown[], known: KnownFields, path: string): void {
    for (const [index, item] of items.entries()) {
      if (isDone()) return;
      checked += 1;
      if (isObject(item) || Array.isArray(item)) visit(item, known, `${path}${index}.`);
    }
  }

  visit(body, schema, '');
  return names;
}

/** Returns the schema of the variant of a value, or the schema of all variants if the value selects none of them. */
function variantOf(known: KnownFields, value: Readonly<Record<string, unknown>>): KnownFields {
  const { oneOf = [], discriminator } = known['x-document'] ?? {};
  if (!discriminator) return known;
  const { propertyName } = discriminator;
  return oneOf.find(({ properties }) => properties?.[propertyName]?.enum?.includes(value[propertyName])) ?? known;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the names of the unknown placeholders in a template. They are replaced by empty strings. */
export function unknownPlaceholders(template: string): string[] {
  const known: readonly string[] = TEMPLATE_VARIABLES;
  return [...new Set(placeholdersIn(template))].filter((name) => !known.includes(name));
}

/** Returns the names of query parameters that are not in the schema of the query, 20 at most. */
export function ignoredParameters({ properties = {} }: KnownFields, query: unknown): string[] {
  const names: string[] = [];
  for (const name in query as object) {
    if (!Object.hasOwn(properties, name) && names.push(name) >= MAX_NAMES) break;
  }
  return names;
}

/**
 * Returns the value of the header `x-tocsin-ignored`: the first 20 names, separated by commas. The names of query
 * parameters begin with `?`, those of fields never do. Everything except visible ASCII is percent-encoded.
 */
export function ignoredHeader(fields: readonly string[], parameters: readonly string[] = []): string {
  const names = [
    ...fields.map((name) => encodeName(name).replace(/^\?/, '%3F')),
    ...parameters.map((name) => `?${encodeName(name)}`),
  ];
  return names.slice(0, MAX_NAMES).join(', ');
}

function encodeName(name: string): string {
  return encodeURI(name.slice(0, MAX_NAME).toWellFormed()).replaceAll(',', '%2C');
}
