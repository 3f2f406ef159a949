import { randomUUID } from 'node:crypto';
import { openDatabase, type Transaction } from '@tocsin/database';
import { notFound, ServiceError } from '@tocsin/errors';
import { testDatabase } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { deleteExecutedRequests, executeOnce, outboxMigrations, recordRequests } from '../src/index.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const storage = stack.use(await testDatabase('sample'));
const database = stack.use(await openDatabase({ url: storage.url, entities: [], migrations: outboxMigrations }));

const NOW = new Date('2026-11-28T12:00:00Z');

/** A request of an organization. Each execution has the id of a new resource, like a creation. */
function aRequest(idempotencyId: string | undefined) {
  const organizationId = randomUUID();
  const created: string[] = [];
  const execute = (work: (tx: Transaction) => Promise<void> = async () => {}) =>
    executeOnce(
      { database },
      { organizationId, idempotencyId },
      async () => {
        const id = randomUUID();
        await database.transaction({ organizationId }, async (tx) => {
          recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [id] }], NOW);
          await work(tx);
        });
        created.push(id);
        return { id, isFound: false };
      },
      async ([id = '']) => ({ id, isFound: true }),
    );
  return { organizationId, idempotencyId, created, execute };
}

const refuse = async () => {
  throw new ServiceError('invalid', 'refused');
};

test('a repeat finds what the first execution created', async () => {
  const { created, execute } = aRequest(randomUUID());
  const { id } = await execute();
  expect(await execute()).toEqual({ id, isFound: true });
  expect(created).toEqual([id]);
});

test('a repeat finds what the first execution created even if it fails for another reason', async () => {
  const { execute } = aRequest(randomUUID());
  const { id } = await execute();
  expect(await execute(refuse)).toEqual({ id, isFound: true });
});

test('a request that has failed is executed by its repeat', async () => {
  const { execute } = aRequest(randomUUID());
  await expect(execute(refuse)).rejects.toThrow('refused');
  expect(await execute()).toMatchObject({ isFound: false });
});

test.each([false, true])(
  'a repeat waits for an execution that runs; if that one fails (%j), it executes the request',
  async (fails) => {
    const { created, execute } = aRequest(randomUUID());
    const started = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const first = execute(async (tx) => {
      await tx.query('select');
      started.resolve();
      await held.promise;
      if (fails) await refuse();
    }).catch(() => undefined);
    await started.promise;
    const repeat = execute();
    held.resolve();
    await first;
    expect(await repeat).toMatchObject({ isFound: !fails });
    expect(created).toHaveLength(1);
  },
);

test('requests without an id, and the same id of other organizations, are executed each time', async () => {
  const unnamed = aRequest(undefined);
  await unnamed.execute();
  expect(await unnamed.execute()).toMatchObject({ isFound: false });
  const one = aRequest(randomUUID());
  const other = aRequest(one.idempotencyId);
  await one.execute();
  expect(await other.execute()).toMatchObject({ isFound: false });
});

test('a repeat after what it created was deleted is a conflict', async () => {
  const { organizationId, idempotencyId, execute } = aRequest(randomUUID());
  await execute();
  const repeat = executeOnce({ database }, { organizationId, idempotencyId }, refuse, async () => {
    throw notFound('thing');
  });
  await expect(repeat).rejects.toMatchObject({
    kind: 'conflict',
    message:
      'this request was executed before, and what it created was deleted since; to execute it again, use a new idempotency key',
  });
});

test('requests are deleted after two days', async () => {
  const { execute } = aRequest(randomUUID());
  await execute();
  const after = (ms: number) => new Date(NOW.getTime() + 2 * 86_400_000 + ms);
  expect(await deleteExecutedRequests(database, after(-1))).toBe('done');
  expect(await execute()).toMatchObject({ isFound: true });
  expect(await deleteExecutedRequests(database, after(0))).toBe('done');
  expect(await execute()).toMatchObject({ isFound: false });
});
