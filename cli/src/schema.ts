import type { Json } from './json.ts';

/** The part of JSON Schema that the API's schemas use. */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  /** Text of the message about a value that does not match the pattern. */
  readonly 'x-pattern-message'?: string;
  /** Format of a text after its variables have been replaced. */
  readonly 'x-format'?: string;
  /** Pattern of a text after its variables have been replaced. */
  readonly 'x-pattern'?: string;
}

/** Returns the types of a schema. */
export function typesOf({ type = [] }: Schema): readonly string[] {
  return [type].flat();
}

/** Returns the schemas for a field in all variants of a schema. `path` is like `config.url`. */
export function schemasAt(schema: Schema, path: readonly string[]): Schema[] {
  const [key, ...rest] = path;
  const variants = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (key === undefined) return variants;
  return variants.flatMap(({ properties = {}, additionalProperties }) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return typeof property === 'object' ? schemasAt(property, rest) : [];
  });
}
