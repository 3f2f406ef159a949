import { describe, expect, test } from 'vitest';
import { mayGrantRole, problemOfChange } from './member-rules.ts';
import { ROLES, type Role } from './role.ts';

const change = (actor: Role, from: Role, to: Role | undefined, { isSelf = false, otherOwners = 1 } = {}) =>
  problemOfChange({ actor, from, to, isSelf, otherOwners }) === undefined;

const targets = [...ROLES, undefined];

test('an owner may make every change while there is another owner', () => {
  for (const from of ROLES)
    for (const to of targets) expect([from, to, change('owner', from, to)]).toEqual([from, to, true]);
});

test('an admin may change and remove admins and members, but may not change owners or make anyone an owner', () => {
  const allowed = ROLES.flatMap((from) =>
    targets.filter((to) => change('admin', from, to)).map((to) => `${from} → ${to}`),
  );
  expect(allowed).toEqual([
    'admin → admin',
    'admin → member',
    'admin → undefined',
    'member → admin',
    'member → member',
    'member → undefined',
  ]);
});

test('a member may not change other members, but may leave', () => {
  for (const from of ROLES) for (const to of targets) expect(change('member', from, to)).toBe(false);
  expect(change('member', 'member', undefined, { isSelf: true })).toBe(true);
  expect(change('member', 'member', 'admin', { isSelf: true })).toBe(false);
});

describe('last owner', () => {
  test.each(['admin', 'member', undefined] as const)('the role of the last owner may not change to %s', (to) => {
    expect(change('owner', 'owner', to, { otherOwners: 0, isSelf: true })).toBe(false);
    expect(change('owner', 'owner', to, { otherOwners: 0 })).toBe(false);
    expect(change('owner', 'owner', to, { otherOwners: 1, isSelf: true })).toBe(true);
  });

  test('setting the role of the last owner to owner is allowed', () => {
    expect(change('owner', 'owner', 'owner', { otherOwners: 0, isSelf: true })).toBe(true);
  });
});

test('only owners may invite owners, and members may not invite anyone', () => {
  const granted = ROLES.map((actor) => ROLES.filter((role) => mayGrantRole(actor, role)));
  expect(granted).toEqual([['owner', 'admin', 'member'], ['admin', 'member'], []]);
});
