import { expect, test } from 'vitest';
import { IDEMPOTENCY_ID_HEADER, idempotencyIdOf, withIdempotencyId } from './idempotency-id.ts';

const ID = '01920000-0000-7000-8000-00000000aaaa';

test('the id of a request reaches the handler, and other options stay', () => {
  const { headers, timeoutMs } = withIdempotencyId(ID, { timeoutMs: 5, headers: { 'x-other': 'one' } });
  expect(timeoutMs).toBe(5);
  expect(new Headers(headers).get('x-other')).toBe('one');
  expect(idempotencyIdOf({ requestHeader: new Headers(headers) })).toBe(ID);
});

test('a request without an idempotency key has no id', () => {
  const { headers } = withIdempotencyId(undefined, {});
  expect(idempotencyIdOf({ requestHeader: new Headers(headers) })).toBeUndefined();
});

test.each(['', 'once', `${ID}0`, `${ID}, ${ID}`])('the id %j is refused', (id) => {
  expect(() => idempotencyIdOf({ requestHeader: new Headers({ [IDEMPOTENCY_ID_HEADER]: id }) })).toThrow(
    'tocsin-idempotency-id must be a UUID',
  );
});
