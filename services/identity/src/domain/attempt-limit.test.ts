import { expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from './attempt-limit.ts';
import { LINK_MS } from './sign-in-link.ts';

test('the window of the link limit is shorter than the validity of a link, so a user whose limit others used up has a valid link', () => {
  expect(ATTEMPT_LIMITS.link_for_email.windowMs).toBeLessThan(LINK_MS);
});
