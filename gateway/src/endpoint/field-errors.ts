import type { FieldErrors } from '@tocsin/errors';

/** An Ajv error about one value, as reported with the option `verbose`. */
export interface SchemaViolation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly message?: string;
}

/** Maximum number of field errors in a response. */
export const MAX_FINDINGS = 100;

/** Converts schema violations to messages, keyed by the path of the field. */
export function fieldErrors(violations: readonly SchemaViolation[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const violation of violations) {
    const message = describe(violation);
    if (!message) continue;
    const path = violation.instancePath.slice(1).split('/').map(unescapePointer).filter(Boolean);
    if (violation.keyword === 'required') path.push(String(violation.params.missingProperty));
    const field = path.join('.') || 'body';
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!known) fields[field] = [message];
    else if (!known.includes(message)) known.push(message);
  }
  return fields;
}

function describe(violation: SchemaViolation): string | undefined {
  const { keyword, instancePath, params, parentSchema = {}, data, message } = violation;
  // An empty path means the body itself. It is excluded, because Ajv validates null in place of an absent body.
  if (data === null && keyword !== 'required' && instancePath !== '') return 'must not be null';
  if (typeof parentSchema['x-message'] === 'string' && keyword !== 'type' && data !== '') {
    return parentSchema['x-message'];
  }
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${spellType(String(params.type))}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${String(params.allowedValue)}`;
    case 'minimum':
    case 'maximum':
      return `must be ${range(parentSchema.minimum, parentSchema.maximum)}`;
    case 'minLength':
      return data === ''
        ? 'is required'
        : `must be ${range(parentSchema.minLength, parentSchema.maxLength)} characters`;
    case 'maxLength':
      return `must be at most ${String(params.limit)} characters`;
    case 'minItems':
    case 'maxItems':
      return `must have ${range(parentSchema.minItems, parentSchema.maxItems)} ${(parentSchema.maxItems ?? parentSchema.minItems) === 1 ? 'item' : 'items'}`;
    case 'maxProperties':
      return `must have at most ${String(params.limit)} members`;
    case 'itemsInAll':
      return `must have at most ${String(params.limit)} list items in all`;
    case 'repeated':
      return 'was sent more than once; send it once';
    case 'controlCharacter':
      return 'must not contain control characters';
    case 'unicode':
      return 'must be valid Unicode';
    case 'pattern':
      return describePattern(parentSchema, data);
    // Unions are skipped, because their branches report their own violations.
    case 'anyOf':
    case 'oneOf':
    case 'if':
      return undefined;
    default:
      return message;
  }
}

/**
 * Returns the message for a value that does not match the schema's pattern. The keyword `x-pattern-message` of the
 * schema is this message, or a function that returns it for the value.
 */
function describePattern(schema: Readonly<Record<string, unknown>>, value: unknown): string {
  const explain = schema['x-pattern-message'];
  if (typeof explain === 'function' && typeof value === 'string') return String(explain(value));
  return typeof explain === 'string' ? explain : 'has the wrong form';
}

function range(min: unknown, max: unknown): string {
  if (min === undefined) return `at most ${String(max)}`;
  if (max === undefined) return `at least ${String(min)}`;
  return `between ${String(min)} and ${String(max)}`;
}

function spellType(type: string): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
  };
  return type
    .split(',')
    .map((name) => names[name] ?? name)
    .join(' or ');
}

/** Unescapes a segment of a JSON pointer (RFC 6901 §4). */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
