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

/** Returns the messages of an error and its causes. */
function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}

test.each([
  [Code.Unavailable, ['refused', 'call of a.B/C']],
  [Code.DeadlineExceeded, ['refused', 'call of a.B/C']],
  [Code.Internal, ['refused', 'call of a.B/C']],
  [Code.InvalidArgument, ['refused']],
  [Code.NotFound, ['refused']],
])(
  'the causes of an error with code %s name the method if the call failed, and repeat no message',
  (code, messages) => {
    const reason = new Error('refused');
    const status = new ConnectError('refused', code, undefined, undefined, reason);
    expect(messagesOf(fromConnectError(status, 'a.B/C'))).toEqual(messages);
  },
);

test('causes with other messages, and causes without a message, are not removed', () => {
  const failures = new AggregateError([new Error('no route')]);
  const status = new ConnectError('', Code.Unavailable, undefined, undefined, failures);
  expect(fromConnectError(status).cause).toBe(failures);
  const other = new Error('socket hang up');
  const aborted = new ConnectError('no connection', Code.Aborted, undefined, undefined, other);
  expect(messagesOf(fromConnectError(aborted, 'a.B/C'))).toEqual(['no connection', 'call of a.B/C', 'socket hang up']);
});
