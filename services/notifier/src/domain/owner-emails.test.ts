import { expect, test } from 'vitest';
import {
  autoDisabled,
  channelBroken,
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

test('a warning states since when, and when the monitor will be disabled', () => {
  const { subject, paragraphs } = disableWarning(shop, longDown, new Date('2026-01-03T10:00:00Z'));
  expect(subject).toBe('Shop will be disabled soon');
  expect(paragraphs[0]).toBe(
    'It has been down for 1 d, since 1 Jan 2026, 10:00 UTC. Unless it recovers before, it will be disabled at 3 Jan 2026, 10:00 UTC.',
  );
});

test('a warning about disruptions states their number and the limit', () => {
  expect(disableWarning(shop, { kind: 'disruptions', count: 8 }, undefined).paragraphs[0]).toBe(
    'It opened 8 disruptions by itself within 24 hours: it goes up and down all the time. With the 11th within 24 hours it will be disabled.',
  );
});

test('a mail about a disabled monitor states the reason and how to enable it', () => {
  const { paragraphs } = autoDisabled(shop, { ...longDown, now: new Date('2026-01-03T10:00:00Z') });
  expect(paragraphs.join(' ')).toContain('It had been down for 2 d, since 1 Jan 2026, 10:00 UTC.');
  expect(paragraphs.join(' ')).toContain('PATCH it with {"enabled": true}');
});

test('a broken channel is named with its reason', () => {
  const { subject, details } = channelBroken({ name: 'Pager', type: 'slack', link: 'https://x/1' }, 'returned 410');
  expect(subject).toBe('Alert channel Pager is broken');
  expect(details).toContainEqual({ name: 'Reason', value: 'returned 410' });
});

test('a webhook is identified by its host alone, because its path may be secret', () => {
  const letter = subscriptionDisabled(
    { url: 'https://hooks.example.com/s3cret?k=s3cret', link: 'https://x/1' },
    'gone',
  );
  expect(letter.subject).toBe('A webhook to hooks.example.com was disabled');
  expect(JSON.stringify(letter)).not.toContain('s3cret');
});

test('a digest that is too long for all monitors states the number of the others', () => {
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

test('a mail names the organization, first and in the footer', () => {
  const { details, footer } = withOrganization(autoDisabled(shop, longDown), "Acme $& $'");
  expect(details[0]).toEqual({ name: 'Organization', value: "Acme $& $'" });
  expect(details.slice(1)).toEqual(autoDisabled(shop, longDown).details);
  expect(footer).toBe("You get this mail because you own Acme $& $', an organization that uses Tocsin.");
});
