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
const MAX_NAMES = 20;
const MAX_NAME = 64;

/** Maximum number of fields and list items that are checked. A body with more is not valid. */
export const MAX_CHECKED = 20_000;

export interface IgnoredFields {
  /** Paths of fields that may be misspelled or misplaced. */
  readonly fields: string[];
  /** Paths of read-only fields of the responses, such as `inserted_at`. They were probably read from a response. */
  readonly readOnly: string[];
}

/** Schemas of a value in a body. */
interface Place {
  /** Schema of the value, with its variants. */
  readonly known: KnownFields;
  /** Schema of the value without regard to the variants that contain it; undefined if it has none. */
  readonly base: KnownFields | undefined;
  /** Schema of the same field of the responses; undefined if they don't have it. */
  readonly shown: KnownFields | undefined;
}

/**
 * Returns the paths of fields in a body that are not in its schema. A field that only other variants of its object have
 * counts as such a field. It is misplaced and not read-only. The list in the body of an endpoint that returns a list is
 * compared with the returned list, whatever its name. Checks at most 20,000 fields and items.
 */
export function ignoredFields(schema: KnownFields, body: unknown, response: KnownFields = {}): IgnoredFields {
  const fields: string[] = [];
  const readOnly: string[] = [];
  let checked = 0;
  const isDone = () => checked >= MAX_CHECKED;

  function visit(value: unknown, { known, base, shown }: Place, path: string): void {
    if (Array.isArray(value)) {
      if (known.items) visitItems(value, { known: known.items, base: base?.items, shown: shown?.items }, path);
      return;
    }
    if (!isObject(value)) return;
    const { properties, additionalProperties } = variantOf(known, value);
    if (!properties || additionalProperties) return;
    for (const name in value) {
      if (isDone()) return;
      checked += 1;
      const schema = member(properties, name);
      const inner = value[name];
      // Most values have no fields of their own.
      if (schema && (typeof inner !== 'object' || inner === null)) continue;
      const inBase = member(base?.properties, name);
      const inShown = member(shown?.properties, name);
      if (schema) visit(inner, { known: schema, base: inBase, shown: inShown }, `${path}${name}.`);
      else (inShown && !inBase ? readOnly : fields).push(`${path}${name}`);
    }
  }

  function visitItems(items: readonly unknown[], place: Place, path: string): void {
    for (const [index, item] of items.entries()) {
      if (isDone()) return;
      checked += 1;
      if (isObject(item) || Array.isArray(item)) visit(item, place, `${path}${index}.`);
    }
  }

  visit(body, { known: schema, base: schema, shown: shownBy(schema, response) }, '');
  return { fields, readOnly };
}

/** Returns the schema of the fields of responses that the fields of a body are compared with. */
function shownBy({ properties = {} }: KnownFields, response: KnownFields): KnownFields | undefined {
  const data = response.properties?.data;
  if (!data?.items) return data;
  return { properties: Object.fromEntries(Object.keys(properties).map((name) => [name, data])) };
}

function member(properties: KnownFields['properties'], name: string): KnownFields | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
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

/** Returns the names of query parameters that are not in the schema of the query. */
export function ignoredParameters({ properties = {} }: KnownFields, query: unknown): string[] {
  return Object.keys(query as object).filter((name) => !Object.hasOwn(properties, name));
}

export interface IgnoredNames {
  /** Paths of fields that may be misspelled. */
  readonly fields?: readonly string[] | undefined;
  readonly parameters?: readonly string[] | undefined;
  /** Paths of read-only fields. */
  readonly readOnly?: readonly string[] | undefined;
}

/**
 * Returns the value of the header `x-tocsin-ignored`: up to 20 names, separated by commas, and then the number of the
 * others, such as `and 12 more`. Names that may be misspelled are first. The names of query parameters begin with `?`,
 * those of fields never do. Everything in a name except visible ASCII is percent-encoded, also spaces.
 */
export function ignoredHeader({ fields = [], parameters = [], readOnly = [] }: IgnoredNames): string {
  const count = fields.length + parameters.length + readOnly.length;
  const names = [
    ...fields.slice(0, MAX_NAMES).map(encodeField),
    ...parameters.slice(0, MAX_NAMES).map((name) => `?${encodeName(name)}`),
    ...readOnly.slice(0, MAX_NAMES).map(encodeField),
  ].slice(0, MAX_NAMES);
  return [...names, ...(count > MAX_NAMES ? [`and ${count - MAX_NAMES} more`] : [])].join(', ');
}

function encodeField(name: string): string {
  return encodeName(name).replace(/^\?/, '%3F');
}

function encodeName(name: string): string {
  return encodeURI(name.slice(0, MAX_NAME).toWellFormed()).replaceAll(',', '%2C');
}
