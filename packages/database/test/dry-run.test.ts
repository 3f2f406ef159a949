import { inDryRun } from '@tocsin/runtime';
import { testDatabase } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { violatedConstraint } from '../src/index.ts';
import { acme, column, openSample } from './sample.ts';

const all = 'every organization';
const insert = `insert into note values (1, $1, 'tried')`;

test('a dry run leaves nothing behind, and is refused even if nothing is wrong', async () => {
  await using schema = await testDatabase('dry_runs');
  await using database = await openSample(schema.url);
  const tried = inDryRun(() => column(database, all, insert, [acme]));
  await expect(tried).rejects.toMatchObject({ kind: 'invalid', fields: {} });
  expect(await column(database, all, 'select id from note')).toEqual([]);
});

test('a dry run finds what the database would refuse', async () => {
  await using schema = await testDatabase('dry_runs');
  await using database = await openSample(schema.url);
  await column(database, all, insert, [acme]);
  const error = await inDryRun(() => column(database, all, insert, [acme])).catch((caught: unknown) => caught);
  expect(violatedConstraint(error)).toBe('note_pkey');
});

test('a dry run may read, and goes on from there', async () => {
  await using schema = await testDatabase('dry_runs');
  await using database = await openSample(schema.url);
  await column(database, all, insert, [acme]);
  expect(await inDryRun(() => column(database, all, 'select text from note'))).toEqual(['tried']);
  const locking = inDryRun(() => column(database, all, 'select text from note for update'));
  await expect(locking).rejects.toMatchObject({ kind: 'invalid' });
});
