import { openDatabase } from '@tocsin/database';
import { describeTables, testDatabase } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { migrations } from '../src/storage/migrations/index.ts';

test('storage/tables.ts has the columns of the migrated schema', async () => {
  await using database = await testDatabase('identity');
  await using _migrated = await openDatabase({ url: database.url, entities: [], migrations });
  await expect(await describeTables(database)).toMatchFileSnapshot('../src/storage/tables.ts');
});
