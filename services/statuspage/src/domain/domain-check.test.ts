import { expect, test } from 'vitest';
import type { CustomDomain } from './custom-domain.ts';
import { GRACE_MS, provenDomain, RETRY_INTERVAL_MS, recheckedDomain } from './domain-check.ts';

const DAY_MS = 24 * 3_600_000;
const start = new Date('2026-11-20T10:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const active = provenDomain('status.acme.example', start);

test('a proven domain is verified again after a week', () => {
  expect(active).toMatchObject({ status: 'active', checkAt: later(7 * DAY_MS), unprovenSince: undefined });
  const again = recheckedDomain(active, true, later(7 * DAY_MS));
  expect(again).toMatchObject({ status: 'active', checkAt: later(14 * DAY_MS), unprovenSince: undefined });
});

test('a domain whose proof is lost stays active for two weeks, is verified daily, and then fails', () => {
  let domain: CustomDomain = recheckedDomain(active, false, start);
  expect(domain).toMatchObject({ status: 'active', checkAt: later(DAY_MS), unprovenSince: start });
  domain = recheckedDomain(domain, false, later(GRACE_MS - 1));
  expect(domain).toMatchObject({ status: 'active', unprovenSince: start });
  expect(domain.checkAt).toEqual(later(GRACE_MS - 1 + RETRY_INTERVAL_MS));
  domain = recheckedDomain(domain, false, later(GRACE_MS));
  expect(domain).toMatchObject({ status: 'failed', checkAt: undefined, unprovenSince: undefined });
});

test('a restored proof ends the grace period', () => {
  const unproven = recheckedDomain(active, false, start);
  const proven = recheckedDomain(unproven, true, later(DAY_MS));
  expect(proven).toMatchObject({ status: 'active', unprovenSince: undefined });
  expect(recheckedDomain(proven, false, later(GRACE_MS))).toMatchObject({
    status: 'active',
    unprovenSince: later(GRACE_MS),
  });
});
