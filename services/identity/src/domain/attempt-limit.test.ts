import { expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from './attempt-limit.ts';
import { LINK_MS } from './sign-in-link.ts';

test('the window of the limit for sign-in links is shorter than the validity of a link, so a user has a valid link even if other people used up the limit', () => {
  expect(ATTEMPT_LIMITS.link_for_email.windowMs).toBeLessThan(LINK_MS);
});
