import { randomUUID } from 'node:crypto';
import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { createVault, generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { afterAll, expect, test } from 'vitest';
import { type Claim, type ClaimedKey, sharedIdempotentResponses } from '../src/storage/idempotent-responses.ts';
import { migrations } from '../src/storage/migrations.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const storage = stack.use(await testDatabase('gateway'));
const database = stack.use(await openDatabase({ url: storage.url, entities: [], migrations }));
const responses = sharedIdempotentResponses(database, createVault(parseVaultKeys(generateVaultKey('k1'))));

const START = new Date('2026-11-28T12:00:00Z');
const after = (minutes: number) => new Date(START.getTime() + minutes * 60_000);

function aKey() {
  const key = { credentialId: randomUUID(), key: 'once', requestHash: Buffer.alloc(32, 1) };
  return {
    key,
    claim: (minutes: number) => responses.claim(key, after(minutes)),
    claimOther: (minutes: number) => responses.claim({ ...key, requestHash: Buffer.alloc(32, 2) }, after(minutes)),
  };
}

function claimed(claim: Claim): ClaimedKey {
  if (claim.kind !== 'mine') throw new Error(`the claim is ${claim.kind}`);
  return claim.claimed;
}

test('a repeat claims the key of a crashed gateway after two minutes, under the same id', async () => {
  const { claim, claimOther } = aKey();
  const first = claimed(await claim(0));
  expect(await claim(1.9)).toEqual({ kind: 'running' });
  expect(await claimOther(3)).toEqual({ kind: 'another_request' });
  expect(claimed(await claim(3)).idempotencyId).toBe(first.idempotencyId);
  expect(await claim(4)).toEqual({ kind: 'running' });
});

test('a repeat claims a released key at once, under the same id', async () => {
  const { claim, claimOther } = aKey();
  const first = claimed(await claim(0));
  await responses.release(first, after(0.5));
  expect(await claimOther(0.5)).toEqual({ kind: 'another_request' });
  expect(claimed(await claim(0.5)).idempotencyId).toBe(first.idempotencyId);
});

test('the first response that was stored stays, even if an earlier attempt ends later', async () => {
  const { claim } = aKey();
  const slow = claimed(await claim(0));
  await responses.keep(claimed(await claim(3)), 201, 'created');
  await responses.release(slow, after(4));
  await responses.keep(slow, 422, 'refused');
  expect(await claim(4)).toEqual({ kind: 'answered', status: 201, body: 'created' });
});

test('a key expires a day after it was first used, and then has a new id', async () => {
  const { claim, claimOther } = aKey();
  const first = claimed(await claim(0));
  await responses.release(first, after(0));
  const last = claimed(await claim(24 * 60 - 1));
  expect(last.idempotencyId).toBe(first.idempotencyId);
  const other = claimed(await claimOther(24 * 60 + 1));
  expect(other.idempotencyId).not.toBe(first.idempotencyId);
  // The attempt for which the key was claimed before still runs.
  await responses.keep(last, 201, 'created');
  expect(await claimOther(24 * 60 + 2)).toEqual({ kind: 'running' });
});

test('a key that an earlier version of the gateway has claimed gets an id when a repeat claims it', async () => {
  const { key, claim } = aKey();
  await database.transaction('every organization', (tx) =>
    tx.query('insert into idempotent_answer (credential_id, key, request_hash, began_at) values ($1, $2, $3, $4)', [
      key.credentialId,
      key.key,
      key.requestHash,
      START,
    ]),
  );
  expect(await claim(1.9)).toEqual({ kind: 'running' });
  const { idempotencyId } = claimed(await claim(2));
  expect(claimed(await claim(5)).idempotencyId).toBe(idempotencyId);
});
