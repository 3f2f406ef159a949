import { ALL_PERMISSIONS } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { permissionsOf } from '../role.ts';
import { commonPermissions, compact, requestedPermissions } from './scope.ts';

test('a request without a scope asks for all permissions', () => {
  for (const scope of [undefined, '', ' ']) expect(requestedPermissions(scope)).toEqual(ALL_PERMISSIONS);
});

test('unknown scopes are ignored, and a request with only unknown scopes asks for no permission', () => {
  expect(requestedPermissions('openid monitors:read offline_access')).toEqual(['monitors:read']);
  expect(requestedPermissions('openid monitors:write')).toEqual([]);
});

test('`read_write` replaces `read` of the same resource, and repeated scopes count once', () => {
  expect(requestedPermissions('monitors:read monitors:read_write monitors:read_write')).toEqual([
    'monitors:read_write',
  ]);
  expect(compact(['status_pages:read', 'monitors:read'])).toEqual(['monitors:read', 'status_pages:read']);
});

test.each([
  [['monitors:read_write'], ['monitors:read_write'], ['monitors:read_write']],
  [['monitors:read_write'], ['monitors:read'], ['monitors:read']],
  [['monitors:read'], ['monitors:read_write'], ['monitors:read']],
  [['monitors:read'], ['status_pages:read_write'], []],
  [['api_keys:read_write', 'audit_log:read', 'incidents:read'], permissionsOf('member'), ['incidents:read']],
])('the permissions that are in both %j and %j are %j', (first, second, common) => {
  expect(commonPermissions(first, second)).toEqual(common);
});
