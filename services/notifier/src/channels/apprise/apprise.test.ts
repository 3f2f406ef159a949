import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { appriseMessage, outcomeOfApprise } from './apprise.ts';

test('the alert for a monitor that is down is plain text and has the type failure', () => {
  expect(appriseMessage(notices.down)).toEqual({
    title: 'Shop is down',
    body: [
      'Error: status 502, expected 200',
      'Since: 2026-11-20T03:00:00Z',
      'Checks: https://shop.example.com/health_check',
      'Details: https://tocsin.example.com/o/t1',
    ].join('\n'),
    type: 'failure',
    format: 'text',
  });
});

test.each([
  [notices.recovered, 'success', 'Shop is up again'],
  [notices.stale, 'warning', 'Shop has no recent data'],
  [notices.certExpiring, 'warning', 'Shop has a certificate that expires in 7 days'],
  [notices.test, 'info', 'Test alert came through'],
])('the message type and the title depend on the kind of alert: $kind', (notice, type, title) => {
  expect(appriseMessage(notice)).toMatchObject({ type, title });
});

test('tenant text never contains a mention', () => {
  const { title, body } = appriseMessage({ ...hostile, error: '<@123> @here' });
  expect(title).toContain('@\u200beveryone');
  expect(body).toContain('Error: <@\u200b123> @\u200bhere');
  expect(body).toContain('https://shop.example.com/@here');
});

test('texts of the maximum length are truncated', () => {
  expect(appriseMessage(longest).title.length).toBeLessThanOrEqual(250);
  expect(appriseMessage(longest).body.length).toBeLessThan(4_096);
});

test.each([
  [200, undefined],
  [204, 'refused'],
  [400, undefined],
  [424, 'failed'],
  [500, undefined],
])('a response with status %i has the outcome %s', (status, kind) => {
  expect(outcomeOfApprise({ status, headers: {}, body: '', truncated: false })?.kind).toBe(kind);
});
