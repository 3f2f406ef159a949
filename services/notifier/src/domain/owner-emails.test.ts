import { expect, test } from 'vitest';
import {
  autoDisabled,
  channelBroken,
  channelHealed,
  disableWarning,
  subscriptionDisabled,
  weeklyDigest,
  withOrganization,
} from './owner-emails.ts';

const shop = { name: 'Shop', link: 'https://tocsin.example.com/api/v1/monitors/1' };
const longDown = {
  kind: 'down',
  since: new Date('2026-01-01T10:00:00Z'),
  now: new Date('2026-01-02T10:00:00Z'),
} as const;

test('a warning contains the start of the downtime and the time at which the monitor will be disabled', () => {
  const { subject, paragraphs } = disableWarning(shop, longDown, new Date('2026-01-03T10:00:00Z'));
  expect(subject).toBe('Shop will be disabled soon');
  expect(paragraphs[0]).toBe(
    'It has been down for 1 d, since 1 Jan 2026, 10:00 UTC. Unless it recovers before, it will be disabled at 3 Jan 2026, 10:00 UTC.',
  );
});

test('a warning about disruptions contains their number and the limit', () => {
  expect(disableWarning(shop, { kind: 'disruptions', count: 8 }, undefined).paragraphs[0]).toBe(
    'It opened 8 disruptions by itself within 24 hours: it goes up and down all the time. With the 11th within 24 hours it will be disabled.',
  );
});

test('an email about a disabled monitor contains the reason and how to enable the monitor', () => {
  const { paragraphs } = autoDisabled(shop, { ...longDown, now: new Date('2026-01-03T10:00:00Z') });
  expect(paragraphs.join(' ')).toContain('It had been down for 2 d, since 1 Jan 2026, 10:00 UTC.');
  expect(paragraphs.join(' ')).toContain('PATCH it with {"enabled": true}');
});

test('an email about a broken channel contains its name and the reason', () => {
  const { subject, details } = channelBroken({ name: 'Pager', type: 'slack', link: 'https://x/1' }, 'returned 410');
  expect(subject).toBe('Alert channel Pager is broken');
  expect(details).toContainEqual({ name: 'Reason', value: 'returned 410' });
});

test.each([
  ['delivered', 'An alert or a test got through.'],
  ['confirmed', 'A recipient confirmed'],
  ['changed', 'Somebody changed its configuration'],
] as const)('an email about a channel that is enabled again names the cause %s', (cause, text) => {
  const { subject, paragraphs } = channelHealed({ name: 'Pager', type: 'slack', link: 'https://x/1' }, cause);
  expect(subject).toBe('Alert channel Pager is enabled again');
  expect(paragraphs[0]).toContain(text);
});

test('an email about a webhook contains only the host of the URL', () => {
  const letter = subscriptionDisabled(
    { url: 'https://hooks.example.com/s3cret?k=s3cret', link: 'https://x/1' },
    'gone',
  );
  expect(letter.subject).toBe('A webhook to hooks.example.com was disabled');
  expect(JSON.stringify(letter)).not.toContain('s3cret');
});

test('a digest contains the number of monitors that it does not list', () => {
  const { subject, details } = weeklyDigest(
    [{ name: 'Shop', withoutChannelSince: new Date('2026-01-01T10:00:00Z') }],
    58,
  );
  expect(subject).toBe('Weekly digest: 58 monitors have no alert channel');
  expect(details).toEqual([
    { name: 'Shop', value: 'since 1 Jan 2026' },
    { name: 'And', value: '57 more' },
  ]);
});

test('an email names the organization in the first line and in the footer', () => {
  const { details, footer } = withOrganization(autoDisabled(shop, longDown), "Acme $& $'");
  expect(details[0]).toEqual({ name: 'Organization', value: "Acme $& $'" });
  expect(details.slice(1)).toEqual(autoDisabled(shop, longDown).details);
  expect(footer).toBe("You get this mail because you own Acme $& $', an organization that uses Tocsin.");
});
