import { expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from './attempt-limit.ts';
import { LINK_MS } from './sign-in-link.ts';

test('a user whose link limit was used up by others still has a valid link', () => {
  expect(ATTEMPT_LIMITS.link_for_email.windowMs).toBeLessThan(LINK_MS);
});
