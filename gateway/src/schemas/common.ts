import { MAX_LIMIT } from '@tocsin/paging';
import { type Static, type TSchema, Type } from 'typebox';
import { MAX_FINDINGS } from '../endpoint/field-errors.ts';

/** Returns the schema of an enum. */
export function oneOf<const Word extends string>(words: readonly Word[], options: object = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

/** Returns a schema that also accepts null. */
export function nullable<Schema extends TSchema & { type?: unknown }>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}

export const Id = Type.String({
  format: 'uuid',
  maxLength: 36,
  description: 'UUID',
  examples: ['0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'],
});

export const Timestamp = Type.String({
  format: 'date-time',
  maxLength: 27,
  description: 'UTC, whole seconds',
  examples: ['2026-11-20T10:00:00Z'],
});

export const Name = Type.String({ minLength: 1, maxLength: 255 });

/** Sentence for the OpenAPI descriptions of fields that status pages render as Markdown. */
export const MARKDOWN =
  'Status pages read Markdown in it: bold, italic, code, lists and links, up to 10,000 pieces of markup on a page; HTML is shown as text';

/** Returns the schema of an id in a request body. The schema accepts any text; the service reports unknown ids. */
export function idInput(description: string) {
  return Type.String({ maxLength: 64, description });
}

/** Maximum length of a URL, in characters. */
export const MAX_URL = 2_048;

/** Returns the schema of a short text that Tocsin generates, such as an error message. */
export function shortText(options: object = {}) {
  return Type.String({ maxLength: 2_000, ...options });
}

/** Query parameters of all lists. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: MAX_LIMIT,
      description:
        'Resources per page. A page has fewer when they are large; the `link` header shows whether there is a next one',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 255, description: 'From the `next` link of the previous page' })),
};

/** Returns the schema of a response with a single resource. */
export function data<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: schema });
}

/** Returns the schema of a response with a list. */
export function dataList<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: Type.Array(schema, { maxItems: MAX_LIMIT }) });
}

export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ maxLength: 64, description: 'Stable name of the kind of error' }),
      message: Type.String({
        maxLength: 2_000,
        description: 'What was wrong, for a person; with 422 the first five fields with their reasons',
      }),
      errors: Type.Optional(
        Type.Unsafe<Record<string, string[]>>({
          type: 'object',
          maxProperties: MAX_FINDINGS,
          additionalProperties: {
            type: 'array',
            maxItems: MAX_FINDINGS,
            items: { type: 'string', maxLength: 500 },
          },
          description: 'Only with 422: what is wrong with each field, by path. At most 100 findings in all',
        }),
      ),
    }),
  },
  { description: 'What went wrong' },
);
