import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { fromConnectError, toConnectError } from './rpc.ts';
import { type ErrorKind, ServiceError } from './service-error.ts';

const kinds: ErrorKind[] = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'unavailable',
  'deadline',
  'internal',
];

test.each(kinds)('an RPC caller receives an error of kind %s with its kind and message', (kind) => {
  const arrived = fromConnectError(toConnectError(new ServiceError(kind, 'what was wrong')));
  expect(arrived).toMatchObject({ kind, message: 'what was wrong' });
});

test('an RPC caller receives field errors unchanged', () => {
  const fields = { 'config.url': ['is required'], name: ['must be at most 255 characters', 'must not be null'] };
  expect(fromConnectError(toConnectError(new ServiceError('invalid', 'no', { fields }))).fields).toEqual(fields);
});

test('an RPC caller receives the seconds after which to try again', () => {
  const limited = new ServiceError('rate_limited', 'too many', { retryAfterSeconds: 90 });
  expect(fromConnectError(toConnectError(limited)).retryAfterSeconds).toBe(90);
  expect(fromConnectError(toConnectError(new ServiceError('rate_limited', 'too many'))).retryAfterSeconds).toBe(
    undefined,
  );
});

test('the caller does not receive the text of an unexpected error', () => {
  const status = toConnectError(new Error('password=hunter2'));
  expect(status).toBeInstanceOf(ConnectError);
  expect(status.code).toBe(Code.Internal);
  expect(status.message).not.toContain('hunter2');
});

test('a transport failure is converted to kind unavailable', () => {
  expect(fromConnectError(new ConnectError('connection refused', Code.Unavailable)).kind).toBe('unavailable');
});

test("an error that a client's interceptor throws is not wrapped", () => {
  const thrown = new ServiceError('unavailable', 'identity is unavailable');
  expect(fromConnectError(ConnectError.from(thrown))).toBe(thrown);
});
