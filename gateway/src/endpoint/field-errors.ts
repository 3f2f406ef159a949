import type { FieldErrors } from '@tocsin/errors';

/** What Ajv says of one wrong value, in verbose mode. */
export interface SchemaViolation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly message?: string;
}

/** Schema violations as fields of the contract with words that a person can act on. */
export function fieldErrors(violations: readonly SchemaViolation[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const violation of violations) {
    const words = wordsFor(violation);
    if (!words) continue;
    const path = violation.instancePath.slice(1).split('/').map(unescapePointer).filter(Boolean);
    if (violation.keyword === 'required') path.push(String(violation.params.missingProperty));
    const field = path.join('.') || 'body';
    const known = fields[field];
    if (!known) fields[field] = [words];
    else if (!known.includes(words)) known.push(words);
  }
  return fields;
}

function wordsFor(violation: SchemaViolation): string | undefined {
  const { keyword, instancePath, params, parentSchema = {}, data, message } = violation;
  // An absent body is validated as null.
  if (data === null && keyword !== 'required' && instancePath !== '') return 'must not be null';
  if (typeof parentSchema['x-words'] === 'string' && keyword !== 'type' && data !== '') return parentSchema['x-words'];
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
      return `must have ${range(parentSchema.minItems, parentSchema.maxItems)} ${params.limit === 1 ? 'item' : 'items'}`;
    case 'pattern':
      return typeof parentSchema['x-pattern-words'] === 'string'
        ? parentSchema['x-pattern-words']
        : 'has the wrong form';
    // The branches of a union report for themselves.
    case 'anyOf':
    case 'oneOf':
    case 'if':
      return undefined;
    default:
      return message;
  }
}

function range(min: unknown, max: unknown): string {
  if (min === undefined) return `at most ${String(max)}`;
  if (max === undefined) return `at least ${String(min)}`;
  return `between ${String(min)} and ${String(max)}`;
}

function spellType(type: string): string {
  const words: Record<string, string> = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
  };
  return type
    .split(',')
    .map((name) => words[name] ?? name)
    .join(' or ');
}

/** RFC 6901 §4. */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
