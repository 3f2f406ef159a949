import { expect, test } from 'vitest';
import { type Certificate, expiryNotice, isValid, worstOf } from './certificate.ts';

const end = new Date('2026-12-24T00:00:00Z');
const before = (hours: number) => new Date(end.getTime() - hours * 3_600_000);

function certificate(changes: Partial<Certificate> = {}): Certificate {
  return {
    fingerprint: 'f1',
    issuer: 'Authority',
    subject: 'example.com',
    notBefore: undefined,
    notAfter: end,
    valid: true,
    problem: '',
    ...changes,
  };
}

test.each([
  [29 * 24, undefined, undefined],
  [29 * 24 - 1, 28, 28],
  [15 * 24, 28, 15],
  [15 * 24 - 1, 14, 14],
  [8 * 24 - 1, 7, 7],
  [2 * 24, 7, 2],
  [2 * 24 - 1, 1, 1],
  [24, 1, 1],
  [23, 0, 0],
  [-1, 0, -1],
  [-100, 0, -5],
])(
  '%s hours before the expiry, the threshold is %s and %s whole days remain',
  (hours, thresholdDays, daysRemaining) => {
    const notice = expiryNotice(certificate(), before(hours));
    expect(notice?.thresholdDays).toBe(thresholdDays);
    expect(notice?.daysRemaining).toBe(daysRemaining);
  },
);

test('the worst certificate is an invalid one, or the one that expires first if all are valid', () => {
  const at = before(1_000);
  const early = certificate({ fingerprint: 'early', notAfter: before(10) });
  const late = certificate({ fingerprint: 'late' });
  const wrong = certificate({ fingerprint: 'wrong', valid: false });
  const expired = certificate({ fingerprint: 'expired', notAfter: before(2_000) });
  expect(worstOf([late, early], at)).toBe(early);
  expect(worstOf([late, early, wrong], at)).toBe(wrong);
  expect(worstOf([wrong, expired, early], at)).toBe(expired);
  expect(worstOf([], at)).toBeUndefined();
});

test('a certificate that was valid when it was received is invalid after its expiry', () => {
  expect(isValid(certificate(), before(1))).toBe(true);
  expect(isValid(certificate(), end)).toBe(false);
  expect(isValid(certificate({ valid: false }), before(1))).toBe(false);
});
