import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { fieldErrors } from './field-errors.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false });

/** Returns the error messages for a value that violates the schema. */
function problemTexts(schema: object, value: unknown): string[] | undefined {
  const validate = ajv.compile({ type: 'object', properties: { field: schema } });
  validate({ field: value });
  return fieldErrors(validate.errors ?? []).field;
}

test.each<[string, object, unknown]>([
  ['must be between 1 and 9', { type: 'integer', minimum: 1, maximum: 9 }, 10],
  ['must be at least 1', { type: 'integer', minimum: 1 }, 0],
  ['must be between 3 and 9 characters', { type: 'string', minLength: 3, maxLength: 9 }, 'a'],
  ['must be at most 2 characters', { type: 'string', minLength: 1, maxLength: 2 }, 'abc'],
  ['is required', { type: 'string', minLength: 1 }, ''],
  ['must have at least 1 item', { type: 'array', minItems: 1 }, []],
  ['must have at most 2 items', { type: 'array', maxItems: 2 }, [1, 2, 3]],
  ['must be one of a, b', { enum: ['a', 'b'] }, 'c'],
  ['must not be null', { type: 'string' }, null],
])('a violation is reported as "%s"', (words, schema, value) => {
  expect(problemTexts(schema, value)).toEqual([words]);
});
