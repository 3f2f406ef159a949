import { expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from './attempt-limit.ts';
import { LINK_MS } from './sign-in-link.ts';

test('a sign-in link is valid for longer than the window of the rate limit for links, so that a user has a valid link even if other people exhaust the limit', () => {
  expect(ATTEMPT_LIMITS.link_for_email.windowMs).toBeLessThan(LINK_MS);
});
