import { expect, test } from 'vitest';
import { coverageTable, type DescribedOperation } from './contract/coverage/coverage-table.ts';

const name = { type: 'string', maxLength: 5 };
const operation: DescribedOperation = {
  name: 'POST /things',
  summary: 'Create a thing',
  tags: ['Things'],
  requestBody: { content: { 'application/json': { schema: { properties: { name } } } } },
  responses: {
    201: { content: { 'application/json': { schema: { properties: { data: { properties: { id: {}, name } } } } } } },
    429: {},
  },
};

const events = {
  'POST /things answers 201': ['a: everything', 'b: creating'],
  'POST /things takes name': ['a: everything'],
  'POST /things refuses name': ['c: too long'],
  'POST /things shows id': ['a: everything'],
};

test('if several tests cover a status or field, its row contains the test that covers the fewest statuses and fields', () => {
  const { markdown } = coverageTable([operation], events);
  expect(markdown).toContain('| 201 | b: creating |');
  expect(markdown).toContain('| `name` | string, maxLength 5 | a: everything | c: too long |');
});

test('a field without a test is reported as missing, but not a status that one test covers for all endpoints', () => {
  const { markdown, missing } = coverageTable([operation], events);
  expect(missing).toEqual(['POST /things shows name']);
  expect(markdown).toContain('| `name` | string, maxLength 5 | **no test** |');
});
