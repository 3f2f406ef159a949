import { expect, test } from 'vitest';
import { notices } from '../../../test/notices.ts';
import type { Change } from '../../domain/storm.ts';
import { alertEmail } from './alert-email.ts';

const changesOf = (count: number): Change[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'monitor_down',
    monitorId: `m${index}`,
    name: `Shop ${index}`,
    at: '2026-11-20T03:00:00.000Z',
    error: `status 50${index}`,
  }));

function emailAbout(changes: readonly Change[]) {
  const notice = { ...notices.down, kind: 'monitors_changed', error: '', changes } as const;
  return alertEmail(notice, { organizationName: 'Acme', unsubscribeUrl: 'https://x/m/1' });
}

test('an email about several monitors lists them in its subject and contains the error of each monitor', () => {
  const { subject, details } = emailAbout(changesOf(5));
  expect(subject).toBe('🔴 5 down: Shop 0, Shop 1 and 3 more');
  for (const { name, error } of changesOf(5)) expect(details).toContainEqual({ name, value: error });
});

test.each([
  [50, 50, false],
  [51, 50, true],
])('an email about %i monitors contains %i errors', (count, shown, isCut) => {
  const { details } = emailAbout(changesOf(count));
  expect(details.filter(({ value }) => value.startsWith('status 50'))).toHaveLength(shown);
  expect(details.some(({ value }) => value === '1 more on the page')).toBe(isCut);
});
