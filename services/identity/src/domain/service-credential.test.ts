import { expect, test } from 'vitest';
import { organizationOfToken } from './service-credential.ts';

test.each([
  ['acme', undefined, 'acme'],
  ['acme', 'acme', 'acme'],
  ['acme', 'globex', undefined],
  [undefined, 'globex', 'globex'],
  [undefined, undefined, undefined],
])('with a credential of the organization %s, a request for a token of the organization %s returns a token of %s', (organizationId, requested, expected) => {
  expect(organizationOfToken({ organizationId }, requested)).toBe(expected);
});
