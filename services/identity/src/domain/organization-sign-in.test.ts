import { describe, expect, test } from 'vitest';
import { decideSignIn, domainOf, type KnownUser, type ProviderClaims, parseDomain } from './organization-sign-in.ts';

const claims = (changes: Partial<ProviderClaims> = {}): ProviderClaims => ({
  subject: 's1',
  email: 'jane@example.com',
  isEmailVerified: true,
  role: undefined,
  ...changes,
});
const member = (changes: Partial<KnownUser> = {}): KnownUser => ({
  id: 'u1',
  email: 'jane@example.com',
  role: 'member',
  ...changes,
});
const none = { domains: ['example.com'], linked: undefined, byEmail: undefined };

describe('sign-ins at a provider', () => {
  test('if a user with an unknown address signs in at a provider, the user is created as a member', () => {
    expect(decideSignIn(claims(), none)).toEqual({ kind: 'create', email: 'jane@example.com', role: 'member' });
  });

  test.each([
    ['admin', 'admin'],
    ['member', 'member'],
    ['owner', 'member'],
    [undefined, 'member'],
  ] as const)('a new user who signs in with the role claim %s is created as %s', (role, created) => {
    expect(decideSignIn(claims({ role }), none)).toMatchObject({ kind: 'create', role: created });
  });

  test('the first sign-in at a provider finds a member by the address, and later sign-ins find the member by the subject', () => {
    const user = member();
    expect(decideSignIn(claims(), { ...none, byEmail: user })).toEqual({
      kind: 'sign_in',
      user,
      isNew: true,
      role: undefined,
    });
    const renamed = claims({ email: 'other@example.com' });
    expect(decideSignIn(renamed, { ...none, linked: user, byEmail: member({ id: 'u2' }) })).toMatchObject({
      kind: 'sign_in',
      user: { id: 'u1' },
      isNew: false,
    });
  });

  test.each([
    ['member', 'admin', 'admin'],
    ['admin', 'member', 'member'],
    ['member', 'member', undefined],
    ['member', 'owner', undefined],
    ['owner', 'member', undefined],
    ['owner', 'admin', undefined],
    ['admin', undefined, undefined],
  ] as const)(
    'if a user with the role %s signs in with the role claim %s, the new role is %s',
    (role, claim, changed) => {
      const decision = decideSignIn(claims({ role: claim }), { ...none, linked: member({ role }) });
      expect(decision).toMatchObject({ kind: 'sign_in', role: changed });
    },
  );

  test.each<[string, ProviderClaims, Partial<Parameters<typeof decideSignIn>[1]>]>([
    ['without an address', claims({ email: undefined }), {}],
    ['with an address that the provider has not verified', claims({ isEmailVerified: false }), {}],
    ['with an address of another domain', claims({ email: 'jane@other.example' }), {}],
    ['with an address of a subdomain', claims({ email: 'jane@sub.example.com' }), {}],
    ['with an address in an organization without a proven domain', claims(), { domains: [] }],
    ['of another organization’s user', claims(), { byEmail: member({ role: undefined }) }],
    ['of a user who was removed from the organization', claims(), { linked: member({ role: undefined }) }],
    ['of a user whose account now has another address', claims(), { linked: member({ email: 'jane@other.example' }) }],
  ])('a sign-in at a provider is refused: %s', (_, said, known) => {
    expect(decideSignIn(said, { ...none, ...known })).toMatchObject({ kind: 'refuse' });
  });
});

test.each([
  ['Example.COM', 'example.com'],
  [' example.com. ', 'example.com'],
  ['mail.example.co.uk', 'mail.example.co.uk'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['example', undefined],
  ['', undefined],
  ['10.0.0.1', undefined],
  ['a b.example', undefined],
  ['-a.example', undefined],
  ['https://example.com', undefined],
  [`${'a.'.repeat(125)}com`, `${'a.'.repeat(125)}com`],
  [`${'a.'.repeat(126)}com`, undefined],
])('the domain %s is stored as %s', (text, domain) => expect(parseDomain(text)).toBe(domain));

test('the domain of an address is the part after the last @', () => {
  expect(domainOf('"a@b"@Example.com')).toBe('example.com');
});
