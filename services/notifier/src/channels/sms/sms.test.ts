import { expect, test } from 'vitest';
import { longest, notices } from '../../../test/notices.ts';
import { outcomeOfTwilio, smsText } from './sms.ts';

const link = 'https://tocsin.example.com/o/t1';

test.each([
  [notices.down, 'Shop is down: status 502, expected 200 (2026-11-20T03:00:00Z)'],
  [notices.recovered, 'Shop is up again after 2 min 5 s (2026-11-20T03:00:00Z)'],
  [notices.stale, 'Shop has no recent data (2026-11-20T03:00:00Z)'],
  [notices.certExpiring, 'Shop has a certificate that expires in 7 days (2026-11-20T03:00:00Z)'],
  [notices.test, 'Test alert came through (2026-11-20T03:00:00Z)'],
])('an alert of kind $kind is a line of text and a link, in GSM 03.38 characters', (notice, line) => {
  expect(smsText(notice)).toBe(`${line}\n${link}`);
  // A character outside of GSM 03.38 would more than halve the number of characters that fit into each SMS.
  expect(smsText(notice)).toMatch(/^[\n\x20-\x7e]*$/);
});

test('a shortened text stays within GSM 03.38', () => {
  const long = { ...notices.down, error: 'x'.repeat(500), monitor: { ...notices.down.monitor, name: 'y'.repeat(255) } };
  expect(smsText(long)).toMatch(/^y+\.\.\. is down: x+\.\.\. \(/);
  expect(smsText(long)).toMatch(/^[\n\x20-\x7e]*$/);
});

test('the longest text stays within 1600 characters with any link', () => {
  expect(smsText(longest).length).toBeLessThan(400);
  const far = smsText({ ...longest, outageLink: `https://tocsin.example.com/${'x'.repeat(3_000)}` });
  expect(far.length).toBe(1600);
  expect(far.isWellFormed()).toBe(true);
});

test.each([
  [400, '{"code":21211}', 'Twilio returned 21211: the receiver is not a valid number. PATCH config.to'],
  [
    400,
    '{"code":21608}',
    'Twilio returned 21608: a trial account sends to verified numbers only. Verify the number, or PATCH config.to',
  ],
])('a response with status %i and the body %s is a final refusal', (status, body, error) => {
  expect(outcomeOfTwilio({ status, headers: {}, body, truncated: false })).toMatchObject({ kind: 'refused', error });
});

test.each([
  // Twilio's error for a full queue of the sender's number.
  [400, '{"code":21611}'],
  [400, '<html>'],
  [429, '{"code":20429}'],
  [201, '{"sid":"SM1"}'],
])('the outcome of a response with status %i and the body %s depends only on the status', (status, body) => {
  expect(outcomeOfTwilio({ status, headers: {}, body, truncated: false })).toBeUndefined();
});
