import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewServiceCredential, type NewServiceCredential } from './new-service-credential.ts';

const now = new Date('2026-11-20T10:00:00Z');
const wanted: NewServiceCredential = {
  name: 'reports',
  permissions: ['monitors:read'],
  audiences: ['monitor'],
  expiresAt: undefined,
  tokenSeconds: undefined,
};

function fieldsOf(changes: Partial<NewServiceCredential>) {
  try {
    checkNewServiceCredential({ ...wanted, ...changes }, now);
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
  return {};
}

test('permissions and services are sorted and have no duplicates, and tokens are valid for five minutes by default', () => {
  const permissions = ['monitors:read', 'incidents:read', 'monitors:read'];
  const audiences = ['monitor', 'disruption', 'monitor'];
  expect(checkNewServiceCredential({ ...wanted, permissions, audiences }, now)).toEqual({
    name: 'reports',
    permissions: ['incidents:read', 'monitors:read'],
    audiences: ['disruption', 'monitor'],
    expiresAt: undefined,
    tokenSeconds: 300,
  });
});

test.each([10, 300])('a token lifetime of %d s is accepted', (tokenSeconds) => {
  expect(fieldsOf({ tokenSeconds })).toEqual({});
});

test.each([9, 301, 0, -1, 10.5])('a token lifetime of %d s is refused', (tokenSeconds) => {
  expect(fieldsOf({ tokenSeconds })).toEqual({ token_seconds: ['must be a whole number from 10 to 300'] });
});

test('a time of expiry in the future is accepted, and the current time is refused', () => {
  expect(fieldsOf({ expiresAt: new Date(now.getTime() + 1) })).toEqual({});
  expect(fieldsOf({ expiresAt: now })).toEqual({ expires_at: ['must be in the future'] });
});

test('names of service credentials have 1 to 255 characters', () => {
  expect(fieldsOf({ name: 'x'.repeat(255) })).toEqual({});
  expect(fieldsOf({ name: 'x'.repeat(256) })).toEqual({ name: ['must be at most 255 characters'] });
});

test('all errors in a new service credential are reported together', () => {
  const wrong = { name: '', permissions: ['monitors:everything'], audiences: ['checker'], tokenSeconds: 1 };
  expect(fieldsOf(wrong)).toEqual({
    name: ['is required'],
    permissions: [expect.stringContaining('"monitors:everything" is not a permission')],
    audiences: ['"checker" is not a service; there are disruption, identity, monitor, notifier, statuspage'],
    token_seconds: ['must be a whole number from 10 to 300'],
  });
  expect(fieldsOf({ permissions: [], audiences: [] })).toEqual({
    permissions: ['must name at least one permission'],
    audiences: ['must name at least one service'],
  });
});
