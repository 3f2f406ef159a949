import { PERMISSIONS } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewApiKey, type NewApiKey } from './new-api-key.ts';

const now = new Date('2026-11-20T10:00:00Z');
const wanted: NewApiKey = { name: 'deploy', permissions: ['monitors:read'], expiresAt: undefined };

function fieldsOf(key: NewApiKey) {
  try {
    checkNewApiKey(key, now, PERMISSIONS);
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
  return {};
}

test('there are eleven permissions, and the permission for the audit log is read-only', () => {
  expect(PERMISSIONS).toHaveLength(11);
  expect(PERMISSIONS.filter((name) => name.startsWith('audit_log'))).toEqual(['audit_log:read']);
  expect(fieldsOf({ ...wanted, permissions: PERMISSIONS })).toEqual({});
});

test('permissions are sorted and have no duplicates', () => {
  const permissions = ['monitors:read_write', 'incidents:read', 'monitors:read_write', 'api_keys:read'];
  const kept = ['api_keys:read', 'incidents:read', 'monitors:read_write'];
  expect(checkNewApiKey({ ...wanted, permissions }, now, PERMISSIONS).permissions).toEqual(kept);
});

test.each(['monitors', 'monitors:write', 'Monitors:read', 'monitor:read', 'audit_log:read_write', '*', '', 'toString'])(
  '%j is refused as a permission, and the error lists the existing permissions',
  (permission) => {
    const { permissions } = fieldsOf({ ...wanted, permissions: ['monitors:read', permission] });
    expect(permissions).toHaveLength(1);
    expect(permissions?.[0]).toContain('status_pages:read_write');
  },
);

test('all errors in a new API key are thrown together', () => {
  expect(fieldsOf({ name: '', permissions: [], expiresAt: now })).toEqual({
    name: ['is required'],
    permissions: ['must name at least one permission'],
    expires_at: ['must be in the future'],
  });
});

test("the length of an API key's name is counted in characters, and control characters are invalid", () => {
  expect(fieldsOf({ ...wanted, name: '😀'.repeat(255) })).toEqual({});
  expect(fieldsOf({ ...wanted, name: '😀'.repeat(256) })).toEqual({ name: ['must be at most 255 characters'] });
  expect(fieldsOf({ ...wanted, name: 'a\u0000b' })).toEqual({ name: ['must not contain control characters'] });
});

test.each([
  [['monitors:read_write'], 'monitors:read_write', true],
  [['monitors:read_write'], 'monitors:read', true],
  [['monitors:read'], 'monitors:read_write', false],
  [['status_pages:read_write'], 'monitors:read', false],
  [['audit_log:read'], 'audit_log:read', true],
  [['monitors:read_write'], 'audit_log:read', false],
])('a key with the permissions %j can grant the permission %s: %s', (held, permission, allowed) => {
  const hand = () => checkNewApiKey({ ...wanted, permissions: [permission] }, now, held);
  if (allowed) expect(hand().permissions).toEqual([permission]);
  else expect(hand).toThrow('is more than this credential holds itself');
});
