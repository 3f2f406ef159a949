import { expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from './attempt-limit.ts';
import { LINK_MS } from './sign-in-link.ts';

test('sign-in links are valid for longer than the time window of their limit, so a user has a valid link even if other people use up the limit', () => {
  expect(ATTEMPT_LIMITS.link_for_email.windowMs).toBeLessThan(LINK_MS);
});
