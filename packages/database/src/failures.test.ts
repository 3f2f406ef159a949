import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { asServiceError } from './failures.ts';

const failure = (code: string) => Object.assign(new Error('failed'), { code });

test.each([
  ...['08006', '57P01', '57014', '53300', '55P03', '25006'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'ENOENT'],
])('%s means that the database is unavailable, also inside another error', (code) => {
  expect(asServiceError(failure(code))).toMatchObject({ kind: 'unavailable' });
  expect(asServiceError(new Error('outer', { cause: failure(code) }))).toMatchObject({ kind: 'unavailable' });
});

test.each(['23505', '22P02', '42601', '40001'])('%s is an error of the request', (code) => {
  const error = failure(code);
  expect(asServiceError(error)).toBe(error);
  expect(error).not.toBeInstanceOf(ServiceError);
});
