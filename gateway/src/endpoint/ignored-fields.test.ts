import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { StructureInput } from '../schemas/structure.ts';
import { ignoredFields, ignoredHeader, ignoredParameters, unknownPlaceholders } from './ignored-fields.ts';

const schema = {
  properties: {
    name: {},
    config: { additionalProperties: true },
    components: { items: { properties: { name: {}, monitors: { items: { properties: { monitor_id: {} } } } } } },
  },
};

test('fields that are not in the schema are listed by path', () => {
  const body = {
    name: { any: 'thing' },
    nmae: 'Shop',
    config: { anything: true },
    components: [{ name: 'API', colour: 'red', monitors: [{ monitor_id: 'x' }, { id: 'y' }] }, 5, null],
  };
  expect(ignoredFields(schema, body)).toEqual(['nmae', 'components.0.colour', 'components.0.monitors.1.id']);
});

test('fields that only the other type of an entry has are listed', () => {
  const link = { monitor_id: 'x' };
  const components = [
    { type: 'component', name: 'API', components: [{ type: 'component', name: 'Lost' }], default_open: true },
    { type: 'group', name: 'Shop', description: 'Lost', monitors: [link], start_date: null, components: [] },
    { type: 'component', name: 'API', description: 'kept', monitors: [link], start_date: null },
    { type: 'page', name: 'Neither', monitors: [], components: [], colour: 'red' },
  ];
  expect(ignoredFields(StructureInput as TSchema, { components })).toEqual([
    'components.0.components',
    'components.0.default_open',
    'components.1.description',
    'components.1.monitors',
    'components.1.start_date',
    'components.3.colour',
  ]);
});

test.each([null, 5, 'text', [], {}])('the body %j has no ignored fields', (body) =>
  expect(ignoredFields(schema, body)).toEqual([]),
);

test('names that every object inherits, such as `constructor`, do not count as fields of the schema', () => {
  const body = JSON.parse('{"__proto__": 1, "constructor": 2, "hasOwnProperty": 3}');
  expect(ignoredFields(schema, body)).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
});

test('at most 20 ignored fields are listed', () => {
  const body = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`field${index}`, 1]));
  expect(ignoredFields(schema, body)).toHaveLength(20);
  expect(ignoredHeader(Object.keys(body)).split(', ')).toHaveLength(20);
});

test('names of ignored fields are shortened and encoded for a header', () => {
  expect(ignoredHeader(['config.interval', 'foo'])).toBe('config.interval, foo');
  expect(ignoredHeader(['a\r\nb: c', 'x,y', 'ü', '\ud800'])).toBe('a%0D%0Ab:%20c, x%2Cy, %C3%BC, %EF%BF%BD');
  expect(ignoredHeader(['x'.repeat(65)])).toBe('x'.repeat(64));
});

test('query parameters that are not in the schema are listed, at most 20', () => {
  expect(ignoredParameters(schema, { name: 'x', nmae: 'y', constructor: 'z' })).toEqual(['nmae', 'constructor']);
  expect(ignoredParameters({}, Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`p${n}`, ''])))).toHaveLength(
    20,
  );
  expect(ignoredParameters(schema, {})).toEqual([]);
});

test('the header distinguishes fields and query parameters, and has at most 20 names of both', () => {
  expect(ignoredHeader(['name', '?status'], ['status', '?x', 'a,b\r\n'])).toBe(
    'name, %3Fstatus, ?status, ??x, ?a%2Cb%0D%0A',
  );
  const names = Array.from({ length: 15 }, (_, number) => `n${number}`);
  expect(ignoredHeader(names, names).split(', ')).toHaveLength(20);
  const hostile = Array(99).fill('\uffff'.repeat(99));
  expect(ignoredHeader(hostile, hostile).length).toBeLessThan(16_384);
});

test.each([
  ['{"a": "{{monitor_name}} {{ status_page_url }}"}', []],
  ['{"a": "{{monitor_nmae}} {{ typo }} {{typo}}"}', ['monitor_nmae', 'typo']],
  ['{"a": "{{toString}} {typo} {{}}"}', ['toString']],
])('the unknown placeholders in %s are %j', (template, names) => {
  expect(unknownPlaceholders(template)).toEqual(names);
});

test('at most 20,000 fields and items are checked', () => {
  // The two fields of the body count in addition to the items.
  const body = (items: number) => ({ components: new Array(items).fill(1), nmae: '' });
  expect(ignoredFields(schema, body(19_998))).toEqual(['nmae']);
  expect(ignoredFields(schema, body(19_999))).toEqual([]);
});
