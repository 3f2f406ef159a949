import { expect, test } from 'vitest';
import { convertQuery } from './convert-query.ts';

const schema = { properties: { limit: { type: 'integer' }, enabled: { type: 'boolean' }, q: { type: 'string' } } };

test.each([
  ['limit', '0', 0],
  ['limit', '17', 17],
  ['limit', '-1', -1],
  ['enabled', 'true', true],
  ['enabled', 'false', false],
])('the query parameter %s=%s is converted to %j', (name, text, value) => {
  const query = { [name]: text };
  convertQuery(schema, query);
  expect(query).toEqual({ [name]: value });
});

test.each([
  ['limit', '0x10'],
  ['limit', '1e2'],
  ['limit', ' 5'],
  ['limit', '05'],
  ['limit', ''],
  ['limit', '1.0'],
  ['limit', ['1', '2']],
  ['enabled', '1'],
  ['enabled', 'TRUE'],
  ['q', '5'],
  ['other', '5'],
])('the query parameter %s=%j is not converted', (name, value) => {
  const query = { [name]: value };
  convertQuery(schema, query);
  expect(query).toEqual({ [name]: value });
});
