import { expect, test } from 'vitest';
import { longest, notices } from '../../test/notices.ts';
import type { AlertKind } from '../domain/alert.ts';
import type { Notice } from '../domain/notice.ts';
import type { Change, NamedKind } from '../domain/storm.ts';
import { slackMessage } from './slack/slack-message.ts';
import { smsText } from './sms/sms.ts';
import { cut, detailsOf, headlineOf, linesOf, listNames, lookOf, markdownOf } from './words.ts';

test.each([
  [notices.down, 'Shop is down'],
  [notices.recovered, 'Shop is up again'],
  [notices.stale, 'Shop has no recent data'],
  [notices.certExpiring, 'Shop has a certificate that expires in 7 days'],
  [notices.test, 'Test alert came through'],
])('the headline of an alert of kind $kind names the monitor and the event', (notice, headline) => {
  expect(headlineOf(notice, 100)).toBe(headline);
});

test.each([
  [28, 'expires in 28 days'],
  [1, 'expires in 1 day'],
  [0, 'expires today'],
  [-1, 'has expired'],
])('the text about a certificate with %i days left is "%s"', (daysRemaining, words) => {
  const certificate = { ...notices.certExpiring.certificate, daysRemaining };
  expect(headlineOf({ ...notices.certExpiring, certificate }, 100)).toBe(`Shop has a certificate that ${words}`);
});

test.each([20, 21, 22, 23])('a headline limited to %i characters truncates the name, but not the state', (max) => {
  const headline = headlineOf(longest, max);
  expect(headline).toMatch(/^(🛒)+… is down$/u);
  expect(headline.isWellFormed()).toBe(true);
  expect(headline.length).toBeLessThanOrEqual(max);
});

test.each([
  [notices.down, { Error: 'status 502, expected 200', Since: '2026-11-20T03:00:00Z' }],
  [notices.recovered, { 'Was down for': '2 min 5 s, until 2026-11-20T03:00:00Z' }],
  [{ ...notices.recovered, downtimeMs: undefined }, { Since: '2026-11-20T03:00:00Z' }],
  [
    { ...notices.stale, error: 'no response' },
    { 'Last error': 'no response', Since: '2026-11-20T03:00:00Z' },
  ],
  [notices.certExpiring, { 'Certificate expires': '2026-11-27T12:00:00Z' }],
])('an alert of kind $kind has only the details that apply to its kind', (notice, details) => {
  const shown = Object.fromEntries(detailsOf(notice, 100).map(({ name, value }) => [name, value]));
  expect(shown).toEqual({ ...details, Checks: 'https://shop.example.com/health_check' });
});

test.each([10, 100])('a message about many monitors lists as many as fit into %i characters', (max) => {
  const change = (kind: Change['kind'], name: string) => ({ kind, monitorId: 'm', name, at: '', error: '' });
  const changes = [
    ...Array.from({ length: 30 }, (_, index) => change('monitor_down', `Shop ${index}`)),
    change('monitor_recovered', 'Blog'),
    change('monitor_stale', 'Till'),
  ];
  const details = detailsOf({ ...notices.stale, kind: 'monitors_changed', changes }, max);
  const named = Object.fromEntries(details.map(({ name, value }) => [name, value]));
  expect(named).toMatchObject({ 'No recent data': 'Till', 'Up again': 'Blog' });
  expect(named.Down).toMatch(max === 10 ? /^30 mo…$/ : /^(Shop \d, )+Shop \d+ and \d+ more$/);
});

test('a test alert has no details', () => {
  expect(detailsOf(notices.test, 100)).toEqual([]);
});

test.each([
  ['https://example.com/a_b?c=*', '<https://example.com/a_b?c=*>'],
  ['https://example.com/…', 'https://example.com/…'],
  ['https://example.com/> <@U1', 'https://example.com/\\> \\<@U1'],
  ['db.example.com:5432', 'db.example.com:5432'],
  ['*a* _b_ `c` ~d~ |e| [f](g) \\', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\|e\\| \\[f\\](g) \\\\'],
])('the text %s is escaped for Markdown', (text, markdown) => {
  expect(markdownOf(text)).toBe(markdown);
});

test('truncation never splits a character', () => {
  expect(cut('abc', 3)).toBe('abc');
  expect(cut('abcd', 3)).toBe('ab…');
  expect(cut('a🛒🛒', 4)).toBe('a🛒…');
  expect(cut('a🛒🛒', 3)).toBe('a…');
});

test('a list contains as many names as fit, and the number of omitted names', () => {
  const names = ['Shop', 'Till', 'Blog'];
  expect(listNames(names, 16)).toBe('Shop, Till, Blog');
  expect(listNames(names, 15)).toBe('Shop and 2 more');
  expect(listNames(Array(1_000).fill('Shop'), 100)).toMatch(/^(Shop, )*Shop and \d+ more$/);
  for (let max = 15; max < 200; max += 1) {
    expect(listNames(Array(50).fill('x'.repeat(30)), max).length).toBeLessThanOrEqual(max);
  }
});

const change = (name: string, kind: NamedKind, count?: number): Change => ({
  kind,
  monitorId: name,
  name,
  at: '2026-11-20T03:00:00.000Z',
  error: '',
  ...(count !== undefined && { count }),
});
const summary: Notice = {
  ...notices.down,
  kind: 'monitors_changed',
  monitor: { id: 's1', name: '4 alerts', url: '' },
  error: '',
  changes: [
    change('Shop', 'monitor_down'),
    change('Till', 'monitor_recovered', 2),
    change('Shop', 'cert_expiring'),
    change('Alert channel Chat', 'channel_broken'),
  ],
};

test('a message about several monitors lists each monitor with its number of changes', () => {
  expect(headlineOf(summary, 200)).toBe(
    '1 down, 1 up again, 1 with an expiring certificate, 1 broken: Shop, Till (2 changes) and 2 more',
  );
  expect(linesOf(summary, 100)).toContain(
    'Down: Shop\nUp again: Till (2 changes)\nCertificate expires: Shop\nBroken: Alert channel Chat\n',
  );
});

test.each([
  [2, '2 down: Shop 0, Shop 1'],
  [3, '3 down: Shop 0, Shop 1, Shop 2'],
  [4, '4 down: Shop 0, Shop 1 and 2 more'],
  [12, '12 down: Shop 0, Shop 1 and 10 more'],
])('the headline about %i monitors is "%s"', (count, headline) => {
  const changes = Array.from({ length: count }, (_, index) => change(`Shop ${index}`, 'monitor_down'));
  expect(headlineOf({ ...summary, changes }, 100)).toBe(headline);
  expect(headlineOf({ ...summary, changes, late: true }, 100)).toBe(`${headline} (sent late)`);
  for (let max = 30; max < 60; max += 1) {
    expect(headlineOf({ ...summary, changes, late: true }, max).length).toBeLessThanOrEqual(max);
  }
});

test('a message lists the monitors whose alerts were not sent yet, and gives only the number of the other monitors', () => {
  const alerted = (name: string): Change => ({ ...change(name, 'monitor_down'), isAlerted: true });
  const changes = [alerted('Shop'), alerted('Till'), change('Blog', 'monitor_down'), change('Wiki', 'monitor_down')];
  const notice = { ...summary, changes };
  expect(headlineOf(notice, 100)).toBe('4 down: Blog, Wiki and 2 more');
  expect(linesOf(notice, 100)).toContain('Down: Blog, Wiki and 2 already alerted\n');
  expect(JSON.stringify(slackMessage(notice))).toContain('Blog, Wiki and 2 already alerted');
  expect(linesOf({ ...summary, changes: changes.slice(0, 2) }, 100)).toContain('Down: 2 already alerted\n');
  for (let max = 20; max < 60; max += 1) {
    expect(detailsOf(notice, max)[0]?.value.length).toBeLessThanOrEqual(max);
  }
});

test.each<[NamedKind[], AlertKind]>([
  [['monitor_down', 'monitor_down'], 'monitor_down'],
  [['monitor_recovered', 'monitor_recovered'], 'monitor_recovered'],
  [['monitor_down', 'monitor_recovered'], 'monitors_changed'],
  [['monitor_down', 'cert_expiring'], 'monitors_changed'],
  [['monitor_stale'], 'monitors_changed'],
  [[], 'monitors_changed'],
])('a message about changes of the kinds %j looks like an alert of the kind %s', (kinds, look) => {
  const changes = kinds.map((kind) => change('Shop', kind));
  expect(lookOf({ ...summary, changes })).toBe(look);
  expect(lookOf({ ...summary, changes, kind: 'test' })).toBe('test');
});

test('a message about several changes of one monitor contains their number and its current state', () => {
  const changes = [change('Till', 'monitor_recovered', 7)];
  const notice = { ...summary, monitor: { id: 'm2', name: 'Till', url: '' }, changes };
  expect(headlineOf(notice, 100)).toBe('Till changed 7 times and is up again');
});

test('reminders and alerts about flapping have their own headlines', () => {
  const reminder: Notice = { ...notices.down, kind: 'monitor_still_down', downtimeMs: 1_800_000 };
  expect(headlineOf(reminder, 100)).toBe('Shop is still down');
  expect(linesOf(reminder, 100)).toContain('Down for: 30 min, since 2026-11-20T03:00:00Z');
  expect(JSON.stringify(slackMessage(reminder))).toContain('*Down for*\\n30 min, since');
  const flapping: Notice = { ...notices.down, kind: 'monitor_flapping' };
  expect(headlineOf(flapping, 100)).toBe('Shop goes up and down');
  expect(linesOf(flapping, 100)).toContain('Alerts: it changed too often in the last 15 minutes');
});

test('the last message within the limit says until when further alerts are held back', () => {
  const heldBackUntil = new Date('2026-11-20T04:00:00Z');
  const line = 'Limit reached: further alerts are held back until 2026-11-20T04:00:00Z';
  expect(linesOf({ ...notices.down, heldBackUntil }, 100)).toContain(line);
  expect(linesOf(notices.down, 100)).not.toContain('Limit reached');
  expect(JSON.stringify(slackMessage({ ...notices.down, heldBackUntil }))).toContain(line);
  expect(JSON.stringify(slackMessage({ ...notices.down, kind: 'monitor_flapping' }))).toContain('changed too often');
});

test('an SMS lists the changed monitors', () => {
  expect(smsText(summary)).toMatch(/^1 down, .*: Shop, Till \(2 changes\), Shop, Alert channel Chat \(/);
});
