import { runValidateOnly } from '@tocsin/runtime';
import { testDatabase } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { violatedConstraint } from '../src/index.ts';
import { acme, column, openSample } from './sample.ts';

const all = 'every organization';
const insert = `insert into note values (1, $1, 'tried')`;

test('a call that only validates writes nothing, and throws an error even if the input is valid', async () => {
  await using schema = await testDatabase('validate_only');
  await using database = await openSample(schema.url);
  const tried = runValidateOnly(() => column(database, all, insert, [acme]));
  await expect(tried).rejects.toMatchObject({ kind: 'invalid', fields: {} });
  expect(await column(database, all, 'select id from note')).toEqual([]);
});

test('a call that only validates reports database errors', async () => {
  await using schema = await testDatabase('validate_only');
  await using database = await openSample(schema.url);
  await column(database, all, insert, [acme]);
  const error = await runValidateOnly(() => column(database, all, insert, [acme])).catch((caught: unknown) => caught);
  expect(violatedConstraint(error)).toBe('note_pkey');
});

test('a call that only validates can read rows, but fails if it locks rows', async () => {
  await using schema = await testDatabase('validate_only');
  await using database = await openSample(schema.url);
  await column(database, all, insert, [acme]);
  expect(await runValidateOnly(() => column(database, all, 'select text from note'))).toEqual(['tried']);
  const locking = runValidateOnly(() => column(database, all, 'select text from note for update'));
  await expect(locking).rejects.toMatchObject({ kind: 'invalid' });
});
