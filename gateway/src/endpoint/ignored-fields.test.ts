import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { data, dataList } from '../schemas/common.ts';
import { MonitorBatch, MonitorSchema } from '../schemas/monitor.ts';
import { PageSchema } from '../schemas/status-page.ts';
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
  expect(ignoredFields(schema, body).fields).toEqual(['nmae', 'components.0.colour', 'components.0.monitors.1.id']);
});

test('fields that only the other type of an entry has are listed', () => {
  const link = { monitor_id: 'x' };
  const components = [
    { type: 'component', name: 'API', components: [{ type: 'component', name: 'Lost' }], default_open: true },
    { type: 'group', name: 'Shop', description: 'Lost', monitors: [link], start_date: null, components: [] },
    { type: 'component', name: 'API', description: 'kept', monitors: [link], start_date: null },
    { type: 'page', name: 'Neither', monitors: [], components: [], colour: 'red' },
  ];
  expect(ignoredFields(StructureInput as TSchema, { components }).fields).toEqual([
    'components.0.components',
    'components.0.default_open',
    'components.1.description',
    'components.1.monitors',
    'components.1.start_date',
    'components.3.colour',
  ]);
});

test.each([null, 5, 'text', [], {}])('the body %j has no ignored fields', (body) =>
  expect(ignoredFields(schema, body).fields).toEqual([]),
);

test('names that every object inherits, such as `constructor`, do not count as fields of the schema', () => {
  const body = JSON.parse('{"__proto__": 1, "constructor": 2, "hasOwnProperty": 3}');
  expect(ignoredFields(schema, body).fields).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
});

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `n${number}`);

test('the header has at most 20 names, and says how many it leaves out', () => {
  expect(ignoredHeader({ fields: numbered(20) })).toBe(numbered(20).join(', '));
  expect(ignoredHeader({ fields: numbered(21) })).toBe(`${numbered(20).join(', ')}, and 1 more`);
  const body = Object.fromEntries(numbered(300).map((name) => [name, 1]));
  expect(ignoredHeader({ fields: ignoredFields(schema, body).fields })).toMatch(/^n0, .*, n19, and 280 more$/);
  expect(ignoredHeader({ parameters: ignoredParameters({}, body) })).toMatch(/^\?n0, .*, \?n19, and 280 more$/);
});

test('names that may be misspelled are listed before read-only fields', () => {
  const readOnly = numbered(40);
  expect(ignoredHeader({ fields: ['nmae'], parameters: ['stat'], readOnly })).toBe(
    `nmae, ?stat, ${numbered(18).join(', ')}, and 22 more`,
  );
});

test('fields that only the responses of an endpoint contain are read-only', () => {
  const [structure, page] = [StructureInput, data(PageSchema)] as TSchema[];
  const component = { type: 'component', inserted_at: '', nmae: '', monitors: [{ monitor_id: '', name: '' }] };
  const body = {
    inserted_at: '',
    insertedat: '',
    data: {},
    constructor: 1,
    'x.y': 1,
    components: [
      { type: 'group', status: '', positon: 1, monitors: [], components: [component] },
      { type: 'component', components: [], updated_at: '', colour: '' },
    ],
  };
  expect(ignoredFields(structure ?? {}, body, page)).toEqual({
    readOnly: [
      'inserted_at',
      'components.0.status',
      'components.0.components.0.inserted_at',
      'components.1.updated_at',
    ],
    fields: [
      'insertedat',
      'data',
      'constructor',
      'x.y',
      'components.0.positon',
      'components.0.monitors',
      'components.0.components.0.nmae',
      'components.0.components.0.monitors.0.name',
      'components.1.components',
      'components.1.colour',
    ],
  });
});

test('fields of a list are compared with those of the returned list', () => {
  const [batch, created] = [MonitorBatch, dataList(MonitorSchema)] as TSchema[];
  const monitor = { inserted_at: '', colour: '', check_type: 'http', config: { methud: '' } };
  const body = { monitors: [monitor], nmae: '', inserted_at: '' };
  expect(ignoredFields(batch ?? {}, body, created)).toEqual({
    readOnly: ['monitors.0.inserted_at'],
    fields: ['monitors.0.colour', 'nmae', 'inserted_at'],
  });
});

test('names of ignored fields are shortened and encoded for a header', () => {
  expect(ignoredHeader({ fields: ['config.interval', 'foo'] })).toBe('config.interval, foo');
  const fields = ['a\r\nb: c', 'x,y', 'ü', '\ud800'];
  expect(ignoredHeader({ fields })).toBe('a%0D%0Ab:%20c, x%2Cy, %C3%BC, %EF%BF%BD');
  expect(ignoredHeader({ fields: ['x'.repeat(65)] })).toBe('x'.repeat(64));
});

test('query parameters that are not in the schema are listed', () => {
  expect(ignoredParameters(schema, { name: 'x', nmae: 'y', constructor: 'z' })).toEqual(['nmae', 'constructor']);
  expect(ignoredParameters(schema, {})).toEqual([]);
});

test('the header distinguishes fields and query parameters, and its length is limited', () => {
  expect(
    ignoredHeader({ fields: ['name', '?status'], parameters: ['status', '?x', 'a,b\r\n'], readOnly: ['?id'] }),
  ).toBe('name, %3Fstatus, ?status, ??x, ?a%2Cb%0D%0A, %3Fid');
  const hostile = Array(99).fill('\uffff'.repeat(99));
  expect(ignoredHeader({ fields: hostile, parameters: hostile, readOnly: hostile }).length).toBeLessThan(16_384);
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
  expect(ignoredFields(schema, body(19_998)).fields).toEqual(['nmae']);
  expect(ignoredFields(schema, body(19_999)).fields).toEqual([]);
});
