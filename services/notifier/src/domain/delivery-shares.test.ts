import { expect, test } from 'vitest';
import { LANE_SHARES, LANES, type Lane, laneOf, SlotCounter } from './delivery-shares.ts';

/**
 * Reserves slots for different recipients of one organization until the organization can't get another slot. Returns
 * the number of reserved slots.
 */
function takeAll(slots: SlotCounter, organizationId: string, lane: Lane): number {
  let taken = 0;
  while (slots.tryTake({ organizationId, recipientId: `${organizationId} ${taken}`, lane })) taken += 1;
  return taken;
}

test.each([
  [{ attempts: 0, slow: false, toSubscriber: false }, 'first'],
  [{ attempts: 3, slow: false, toSubscriber: false }, 'retry'],
  [{ attempts: 0, slow: true, toSubscriber: false }, 'slow'],
  [{ attempts: 3, slow: true, toSubscriber: false }, 'slow'],
  [{ attempts: 0, slow: false, toSubscriber: true }, 'subscriber'],
  [{ attempts: 3, slow: true, toSubscriber: true }, 'subscriber'],
])('the delivery %j belongs to the lane %s', (delivery, lane) => {
  expect(laneOf(delivery)).toBe(lane);
});

test.each(LANES)('the lane %s limits the slots of each organization and each recipient', (lane) => {
  const { perOrganization, perRecipient } = LANE_SHARES[lane];
  expect(takeAll(new SlotCounter([]), 'a', lane)).toBe(perOrganization);
  const slots = new SlotCounter([]);
  const entry = { organizationId: 'a', recipientId: 'r', lane };
  expect(Array.from({ length: perOrganization }, () => slots.tryTake(entry)).filter(Boolean)).toHaveLength(
    perRecipient,
  );
});

test.each(LANES)('in the lane %s, four organizations cannot use up all slots, but ten can', (lane) => {
  const slots = new SlotCounter([]);
  const shares = Array.from({ length: 10 }, (_, index) => takeAll(slots, `organization ${index}`, lane));
  expect(shares[4]).toBeGreaterThan(0);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(LANE_SHARES[lane].total);
});

test('deliveries that use all slots of one lane do not delay deliveries of another lane', () => {
  const slots = new SlotCounter([]);
  for (let index = 0; index < 20; index += 1) takeAll(slots, `organization ${index}`, 'retry');
  expect(slots.hasRoom('retry', 'b')).toBe(false);
  expect(slots.hasRoom('first', 'b')).toBe(true);
});

test('attempts that are already running count as slots of their organization', () => {
  const running = Array.from({ length: 24 }, (_, index) => ({
    organizationId: 'a',
    recipientId: String(index),
    lane: 'first' as const,
  }));
  expect(new SlotCounter(running).hasRoom('first', 'a')).toBe(false);
  expect(new SlotCounter(running).hasRoom('first', 'b')).toBe(true);
});
