import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { expect, test } from 'vitest';
import { enumTable } from './enum-table.ts';

const table = enumTable(CheckType, 'http');

test('a table has the names of the protobuf enum in lower case, without the zero value', () => {
  expect(table.names).toEqual(['http', 'tcp', 'dns', 'heartbeat', 'synthetic']);
});

test('toName() is the inverse of toValue() for every name in the table', () => {
  for (const name of table.names) expect(table.toName(table.toValue(name))).toBe(name);
});

test('for a number that is not in the enum, toName() returns the fallback and findName() returns undefined', () => {
  expect(table.toName(99)).toBe('http');
  expect(table.toName(CheckType.UNSPECIFIED)).toBe('http');
  expect(table.findName(99)).toBeUndefined();
});

test('toValue() returns undefined for an undefined name', () => {
  expect(table.toValue(undefined)).toBeUndefined();
});
