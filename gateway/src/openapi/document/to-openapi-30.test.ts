import { expect, test } from 'vitest';
import { toOpenApi30 } from './to-openapi-30.ts';

/** Returns the schema of a component after conversion. */
function converted(schema: object): unknown {
  const components = { schemas: { One: schema } };
  const document = toOpenApi30({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {}, components });
  return (document as { components: { schemas: { One: unknown } } }).components.schemas.One;
}

test.each<[object, object]>([
  [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [
    { type: ['string', 'null'], enum: ['a', null] },
    { type: 'string', nullable: true, enum: ['a', null] },
  ],
  [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
  [
    { type: 'string', examples: ['a', 'b'] },
    { type: 'string', example: 'a' },
  ],
  [
    {
      type: 'object',
      properties: { type: { type: ['object', 'null'] }, examples: { type: 'array', examples: [[1]] } },
    },
    {
      type: 'object',
      properties: { type: { type: 'object', nullable: true }, examples: { type: 'array', example: [1] } },
    },
  ],
  [
    { type: 'object', example: { type: ['a', 'null'], examples: [1] }, default: { examples: [] } },
    { type: 'object', example: { type: ['a', 'null'], examples: [1] }, default: { examples: [] } },
  ],
])('the schema %j is converted to %j', (schema, expected) => expect(converted(schema)).toEqual(expected));

test('webhooks and the identifier of the license are left out', () => {
  const document = toOpenApi30({
    openapi: '3.1.0',
    info: { title: 'T', version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths: {},
    webhooks: {},
  });
  expect(document).toEqual({
    openapi: '3.0.3',
    info: { title: 'T', version: '1', license: { name: 'Apache-2.0' } },
    paths: {},
  });
});

test('a binary body becomes a string with the format binary', () => {
  const content = { 'image/jpeg': { schema: { description: 'JPEG', maxLength: 9 } } };
  const responses = { 200: { description: 'Done', content } };
  const document = toOpenApi30({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses } } },
  });
  expect(document).toHaveProperty(['paths', '/a', 'get', 'responses', '200', 'content', 'image/jpeg', 'schema'], {
    type: 'string',
    format: 'binary',
    description: 'JPEG',
    maxLength: 9,
  });
});
