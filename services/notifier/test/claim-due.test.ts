import type { Database } from '@tocsin/database';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimDue } from '../src/app/claim-due.ts';
import { type NotifierFixture, notifierFixture } from './start-notifier.ts';

let fixture: NotifierFixture;

beforeAll(async () => {
  fixture = await notifierFixture();
});

afterAll(() => fixture[Symbol.asyncDispose]());

test('an attempt does not wait until the lease of its delivery is on the disk', async () => {
  let setting: unknown;
  const database: Pick<Database, 'transaction'> = {
    transaction: (scope, work) =>
      fixture.database.transaction(scope, async (tx) => {
        // The test server never waits for the disk by default.
        tx.send('set local synchronous_commit to on');
        const result = await work(tx);
        setting = await tx.query('show synchronous_commit');
        return result;
      }),
  };
  const now = () => new Date();
  expect(await claimDue({ database, now }, { running: [], unrecorded: [v7()] })).toEqual([]);
  expect(setting).toEqual([{ synchronous_commit: 'off' }]);
});
