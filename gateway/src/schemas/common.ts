import { type Static, type TSchema, Type } from 'typebox';

/** One of a few words; in OpenAPI a real `enum`. */
export function oneOf<const Word extends string>(words: readonly Word[], options: object = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

/** The same, or null. */
export function nullable<Schema extends TSchema & { type?: unknown }>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}

export const Id = Type.String({
  format: 'uuid',
  description: 'UUID',
  examples: ['0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'],
});

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'UTC, whole seconds',
  examples: ['2026-11-20T10:00:00Z'],
});

export const Name = Type.String({ minLength: 1, maxLength: 255 });

/** What every list takes. Without a limit the whole list is answered. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'At most so many; absent: all' })),
  cursor: Type.Optional(Type.String({ description: 'From the `next` link of the page before' })),
};

/** A single resource as the contract wraps it. */
export function data<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: schema });
}

/** A list as the contract wraps it. */
export function dataList<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: Type.Array(schema) });
}

export const ErrorAnswer = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: 'stable name of the kind of error' }),
      message: Type.String({ description: 'what was wrong, for a person' }),
    }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'only with 422: what is wrong with each field, by path',
      }),
    ),
  },
  { description: 'What went wrong' },
);
