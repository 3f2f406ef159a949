import { expect, test } from 'vitest';
import { decideEnforced, type SignInMethod } from './enforced-sign-in.ts';
import type { Role } from './role.ts';

const organizationId = '01920000-0000-7000-8000-000000000001';

test.each<[Role | undefined, SignInMethod, boolean, string]>([
  [undefined, 'link', false, 'allow'],
  [undefined, 'passkey', true, 'allow'],
  ['member', 'provider', true, 'allow'],
  ['owner', 'provider', false, 'allow'],
  ['member', 'operator_link', false, 'allow'],
  ['member', 'link', true, 'at_provider'],
  ['admin', 'password', true, 'at_provider'],
  ['member', 'passkey', true, 'at_provider'],
  ['owner', 'link', false, 'at_provider'],
  ['owner', 'link', true, 'recovery_code'],
  ['owner', 'password', true, 'recovery_code'],
  ['owner', 'passkey', true, 'at_provider'],
])(
  'if the provider is enforced for the role %s, a sign-in by %s (second factor enabled: %s) has the result: %s',
  (role, method, factor, decision) => {
    const enforced = role && { organizationId, role };
    expect(decideEnforced(enforced, { method, hasSecondFactor: factor })).toBe(decision);
  },
);
