import { countRoundTrips } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FullSubscriptions } from '../src/app/full-subscriptions.ts';
import { onMonitorStateChanged } from '../src/consumers/on-monitor-state-changed.ts';
import { aMonitor, BASE_URL, type NotifierFixture, notifierFixture } from './start-notifier.ts';

let fixture: NotifierFixture;

beforeAll(async () => {
  fixture = await notifierFixture();
});

afterAll(() => fixture[Symbol.asyncDispose]());

test('the alert that a monitor is down is inserted in one round trip to the database before the commit', async () => {
  const organizationId = v7();
  const channel = await fixture.createChannel(organizationId, { url: 'http://127.0.0.1:9/' });
  const { id, type, payload, aggregateId } = aMonitor(organizationId, [channel.id]).wentDown('2026-01-01T10:00:00Z');
  const now = () => new Date('2026-01-01T10:00:00Z');
  const limits = { stormMonitors: 10, calmChanges: 6, maxMessagesPerHour: 100 };
  const deps = { now, baseUrl: BASE_URL, ...limits, fullSubscriptions: new FullSubscriptions() };
  const meta = { id, type, organizationId, aggregateId, sequence: 1, occurredAt: now(), previousAt: undefined };
  const roundTrips = await fixture.database.transaction({ organizationId }, async (tx) => {
    const counted = countRoundTrips(tx);
    await onMonitorStateChanged(deps).decode(payload)(meta, counted);
    return counted.roundTrips;
  });
  const deliveries = await fixture.query('select channel_id from delivery where organization_id = $1', [
    organizationId,
  ]);
  expect(deliveries).toEqual([{ channel_id: channel.id }]);
  expect(roundTrips).toBe(1);
});
