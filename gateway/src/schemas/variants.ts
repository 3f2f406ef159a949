import { type TObject, type TProperties, Type } from 'typebox';

/** A variant of an object, selected by its discriminator. */
interface Variant {
  /** Name of the variant's schema in the OpenAPI document. */
  readonly title: string;
  /** Fields that the variant overrides or adds. */
  readonly fields: TProperties;
  /** Common fields that the variant does not have. */
  readonly without?: readonly string[];
}

/**
 * Returns a schema that the OpenAPI document shows with its variants, as `oneOf` with a discriminator. Validation and
 * serialization use only the schema `base`, because its errors are clearer than the errors of a union.
 */
export function withVariants<Base extends TObject>(
  base: Base,
  discriminator: string,
  variants: Readonly<Record<string, Variant>>,
): Base {
  const forms = Object.entries(variants).map(([value, { title, fields, without = [] }]) => {
    const common = Object.entries<TProperties[string]>(base.properties).filter(([name]) => !without.includes(name));
    const properties = { ...Object.fromEntries(common), [discriminator]: constant(value), ...fields };
    return Type.Object(properties, { title });
  });
  const mapping = Object.entries(variants).map(([value, { title }]) => [value, `#/components/schemas/${title}`]);
  return {
    ...base,
    'x-document': {
      oneOf: forms,
      discriminator: { propertyName: discriminator, mapping: Object.fromEntries(mapping) },
    },
  };
}

function constant(value: string) {
  return Type.Unsafe<string>({ type: 'string', enum: [value] });
}

/** Returns the schema of an object that matches any of these variants, without a discriminator. */
export function anyConfig(base: object, configs: Readonly<Record<string, TObject>>) {
  return Type.Unsafe<Record<string, unknown>>({ ...base, 'x-document': { anyOf: Object.values(configs) } });
}

/** Joins words into a schema name: `create`, `incident_io` → `CreateIncidentIo`. */
export function titleOf(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('_'))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
