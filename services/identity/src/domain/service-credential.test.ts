import { expect, test } from 'vitest';
import { organizationOfToken } from './service-credential.ts';

test.each([
  ['acme', undefined, 'acme'],
  ['acme', 'acme', 'acme'],
  ['acme', 'globex', undefined],
  [undefined, 'globex', 'globex'],
  [undefined, undefined, undefined],
])('a credential of %s that requests a token for %s gets a token for %s', (organizationId, requested, expected) => {
  expect(organizationOfToken({ organizationId }, requested)).toBe(expected);
});
