import { placeholdersIn, TEMPLATE_VARIABLES } from '@tocsin/enums';

interface KnownFields {
  readonly items?: KnownFields;
  readonly properties?: Readonly<Record<string, KnownFields>>;
  readonly additionalProperties?: unknown;
}

/** Maximum number of names. More would make the header longer than some proxies allow. */
const MAX_NAMES = 20;
const MAX_NAME = 64;

/** Returns the paths of at most 20 fields of a body that are not in its schema. */
export function ignoredFields(schema: KnownFields, body: unknown): string[] {
  const names: string[] = [];

  function visit(value: unknown, known: KnownFields, path: string): void {
    if (names.length >= MAX_NAMES || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      if (known.items) for (const [index, item] of value.entries()) visit(item, known.items, `${path}${index}.`);
      return;
    }
    const { properties, additionalProperties } = known;
    if (!properties || additionalProperties) return;
    for (const [name, member] of Object.entries(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema) visit(member, schema, `${path}${name}.`);
      else if (names.length < MAX_NAMES) names.push(`${path}${name}`);
    }
  }

  visit(body, schema, '');
  return names;
}

/** Returns the names of the placeholders in a template that are unknown. They are replaced by empty strings. */
export function unknownPlaceholders(template: string): string[] {
  const known: readonly string[] = TEMPLATE_VARIABLES;
  return [...new Set(placeholdersIn(template))].filter((name) => !known.includes(name));
}

/**
 * Returns the value of the header `x-tocsin-ignored`: names separated by commas. Everything except visible ASCII is
 * percent-encoded.
 */
export function ignoredHeader(names: readonly string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map((name) => encodeURI(name.slice(0, MAX_NAME).toWellFormed()).replaceAll(',', '%2C'))
    .join(', ');
}
