import { expect, test } from 'vitest';
import { changeSubscription, disableBySystem, enableAgain, type Subscription } from './subscription.ts';

const created = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const subscription: Subscription = {
  id: 's1',
  organizationId: 'o1',
  url: 'https://a.example.com/',
  events: ['monitor.created'],
  enabled: true,
  disabled: undefined,
  revision: 1,
  createdAt: created,
  updatedAt: created,
};
const disabled = disableBySystem(subscription, 'the receiver returned 410', later);

test('a subscription that the system disabled contains the time and the reason', () => {
  expect(disabled).toMatchObject({ enabled: false, disabled: { at: later, reason: 'the receiver returned 410' } });
});

test.each([
  ['a new URL', changeSubscription(disabled, { url: 'https://b.example.com/' }, later)],
  ['setting `enabled`', changeSubscription(disabled, { enabled: true }, later)],
  ['a successful test', enableAgain(disabled, later)],
])('%s enables a subscription that the system disabled', (_, changed) => {
  expect(changed).toMatchObject({ enabled: true, disabled: undefined, revision: 2 });
});

test('a change to the events does not enable a subscription that the system disabled, and setting `enabled` to false removes the reason', () => {
  expect(changeSubscription(disabled, { events: ['monitor.deleted'] }, later)).toMatchObject({
    enabled: false,
    disabled: disabled.disabled,
    revision: 1,
  });
  const byPerson = changeSubscription(disabled, { enabled: false }, later);
  expect(byPerson).toMatchObject({ enabled: false, disabled: undefined });
  expect(changeSubscription(byPerson, { url: 'https://b.example.com/' }, later).enabled).toBe(false);
});

test('updatedAt changes only if a change makes a difference', () => {
  const { url, events } = subscription;
  for (const changes of [{}, { url, events: [...events], enabled: true }]) {
    expect(changeSubscription(subscription, changes, later).updatedAt).toEqual(created);
  }
  for (const changes of [{ url: 'https://b.example.com/' }, { events: [] }, { enabled: false }]) {
    expect(changeSubscription(subscription, changes, later).updatedAt).toEqual(later);
  }
  const evenLater = new Date('2026-01-03T00:00:00Z');
  expect(changeSubscription(disabled, { enabled: true }, evenLater).updatedAt).toEqual(evenLater);
});
