import type { Database } from '@tocsin/database';
import { createLogger } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import type { Outcome } from '../domain/outcome.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import type { SentDelivery } from '../storage/delivery-store.ts';
import type { Batch } from './batch.ts';
import { deliver } from './deliver.ts';
import type { Deps } from './ports.ts';
import { createRecordingSlots } from './record-in-turn.ts';

const LEASED_UNTIL = new Date('2026-01-01T10:00:30Z');

const mail: ClaimedDelivery = {
  id: '01920000-0000-7000-8000-000000000001',
  organizationId: '01920000-0000-7000-8000-000000000002',
  attempts: 0,
  leasedUntil: LEASED_UNTIL,
  dueAt: new Date('2026-01-01T10:00:00Z'),
  createdAt: new Date('2026-01-01T10:00:00Z'),
  slow: false,
  postponed: false,
  toSubscriber: false,
  to: {
    kind: 'owner',
    id: '01920000-0000-7000-8000-000000000003',
    enabled: true,
    isBroken: false,
    revision: 0,
    address: 'jane@example.com',
    mail: { subject: 'Shop is down', text: 'Shop', html: '<p>Shop</p>' },
  },
};

/** Returns the dependencies of an attempt to send an email, which has the given outcome. The lease has ended. */
function depsFor(outcome: Outcome, others: Partial<Deps> = {}): Deps {
  const deps: Partial<Deps> = {
    ...others,
    now: () => LEASED_UNTIL,
    sendMail: async () => outcome,
    meters: { attempted: () => undefined, delivered: () => undefined },
    logger: createLogger('notifier', 'silent'),
    connectivity: { confirmFailure: async () => true, recordResponse: () => undefined },
  };
  // The attempt uses no other dependencies.
  return deps as Deps;
}

/** Returns a batch that fails a number of times. */
function failingBatch(failures: number) {
  let calls = 0;
  const batch: Batch<SentDelivery> = {
    async add() {
      calls += 1;
      if (calls <= failures) throw new Error('the database is unavailable');
    },
  };
  return { batch, calls: () => calls };
}

const delivered: Outcome = { kind: 'delivered', httpStatus: undefined };
const freeSlot = () => undefined;

test('a success is recorded even if the database is unavailable until after the lease', async () => {
  const { batch: successes, calls } = failingBatch(2);
  const stopping = new AbortController().signal;
  await deliver(depsFor(delivered), mail, { successes, freeSlot, stopping });
  expect(calls()).toBe(3);
});

test('recording a success ends without success if the process stops and the lease has ended', async () => {
  const { batch: successes, calls } = failingBatch(2);
  const stopping = AbortSignal.abort();
  const attempt = deliver(depsFor(delivered), mail, { successes, freeSlot, stopping });
  await expect(attempt).rejects.toThrow('the database is unavailable');
  expect(calls()).toBe(1);
});

test('many failures of one organization are recorded a few at a time, and do not delay the recording for another', async () => {
  const recorded: string[] = [];
  const { promise: available, resolve } = Promise.withResolvers<void>();
  const database: Partial<Database> = {
    async transaction<Result>(scope: Parameters<Database['transaction']>[0]): Promise<Result> {
      recorded.push(scope === 'every organization' ? scope : scope.organizationId);
      await available;
      return undefined as Result;
    },
  };
  const failed: Outcome = { kind: 'failed', error: 'the receiver returned 503', httpStatus: 503 };
  const deps = depsFor(failed, { database: database as Database, recordingSlots: createRecordingSlots() });
  const options = { successes: failingBatch(0).batch, freeSlot, stopping: new AbortController().signal };
  const attempts = Array.from({ length: 24 }, () => deliver(deps, mail, options));
  await expect.poll(() => recorded.length).toBeGreaterThan(0);
  const theirs = { ...mail, organizationId: '01920000-0000-7000-8000-000000000004' };
  attempts.push(deliver(deps, theirs, options));
  await expect.poll(() => recorded).toContain(theirs.organizationId);
  expect(recorded.length).toBeLessThanOrEqual(5);
  resolve();
  await Promise.all(attempts);
  expect(recorded).toHaveLength(25);
});
