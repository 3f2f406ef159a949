import { grants, PERMISSIONS } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { isRole, permissionsOf } from './role.ts';

test.each(['owner', 'admin'] as const)('the role %s grants every permission', (role) => {
  expect(PERMISSIONS.filter((permission) => !grants(permissionsOf(role), permission))).toEqual([]);
});

test('a member may manage everything except API keys, and may not read the audit log', () => {
  const missing = PERMISSIONS.filter((permission) => !grants(permissionsOf('member'), permission));
  expect(missing).toEqual(['api_keys:read', 'api_keys:read_write', 'audit_log:read']);
});

test('only the names `owner`, `admin` and `member` are roles', () => {
  expect(['owner', 'admin', 'member', 'Owner', '', 'viewer'].filter(isRole)).toEqual(['owner', 'admin', 'member']);
});
