import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { matrixMessage, outcomeOfMatrix } from './matrix.ts';

test('a down alert is plain text without mentions', () => {
  expect(matrixMessage(notices.down)).toEqual({
    msgtype: 'm.text',
    body: [
      '🔴 Shop is down',
      '',
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    'm.mentions': {},
  });
  expect(matrixMessage(hostile)).not.toHaveProperty('formatted_body');
});

test.each([
  [notices.recovered, /^🟢 Shop is up again\n\nWas down for: 2 min 5 s, until /],
  [notices.stale, /^⚪ Shop has no recent data\n\nSince: /],
  [notices.certExpiring, /^🟠 Shop has a certificate that expires in 7 days\n\nCertificate expires: 2026-11-27/],
  [notices.test, /^🔔 Test alert came through\n\nDetails: /],
])('an alert of kind $kind has a text for its kind', (notice, text) => {
  expect(matrixMessage(notice).body).toMatch(text);
});

test('the longest message has fewer than 65,536 bytes', () => {
  expect(Buffer.byteLength(JSON.stringify(matrixMessage(longest)))).toBeLessThan(65_536);
});

test.each([
  [200, '{"event_id":"$1"}', undefined],
  [200, '{}', 'failed'],
  [200, '<html>', 'failed'],
  [403, '{"errcode":"M_FORBIDDEN"}', undefined],
  [500, '{"errcode":"M_UNKNOWN"}', undefined],
])('a response with status %i and the body %s has the outcome %s', (status, body, kind) => {
  expect(outcomeOfMatrix({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});

test('the time to wait after a 429 is read from the header or the body', () => {
  const body = '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}';
  const response = { status: 429, headers: {}, body, truncated: false };
  expect(outcomeOfMatrix(response)).toMatchObject({ kind: 'failed', httpStatus: 429, retryAfterMs: 2_000 });
  expect(outcomeOfMatrix({ ...response, headers: { 'retry-after': '3' } })).toBeUndefined();
  expect(outcomeOfMatrix({ ...response, body: '{}' })).toBeUndefined();
});
