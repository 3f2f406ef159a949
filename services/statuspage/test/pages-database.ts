import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

/** Opens an empty database of the service, with the roles of an installation. */
export async function openPages() {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('statuspage'));
  const { runtimeUrl: url, url: ownerUrl } = storage;
  const database = stack.use(await openDatabase({ url, ownerUrl, entities, migrations }));
  const owned = stack.move();
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
