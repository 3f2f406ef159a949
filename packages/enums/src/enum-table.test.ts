import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { expect, test } from 'vitest';
import { enumTable } from './enum-table.ts';

const table = enumTable(CheckType, 'http');

test('a table has the names of the protobuf enum in lower case, without the zero value', () => {
  expect(table.names).toEqual(['http', 'tcp', 'dns', 'heartbeat', 'synthetic']);
});

test('names and numbers map to each other', () => {
  for (const name of table.names) expect(table.toName(table.toValue(name))).toBe(name);
});

test('a number that is not in the enum has the fallback name, or no name without a fallback', () => {
  expect(table.toName(99)).toBe('http');
  expect(table.toName(CheckType.UNSPECIFIED)).toBe('http');
  expect(table.findName(99)).toBeUndefined();
});

test('an undefined name has no number', () => {
  expect(table.toValue(undefined)).toBeUndefined();
});
