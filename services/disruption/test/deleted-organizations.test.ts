import { outgoingEvent } from '@tocsin/outbox';
import { OrganizationDeletedSchema } from '@tocsin/proto/identity/v1/events';
import { eventually, tablesContaining } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionFixture } from './start-disruption.ts';

const fixture = await disruptionFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

test('after an organization is deleted, none of its rows remain, and the rows of another organization stay', async () => {
  const [gone, stays] = [aMonitor(), aMonitor()];
  await fixture.publish(gone.wentDown('2026-11-20T10:00:00Z'), stays.wentDown('2026-11-20T10:00:00Z'));
  const tables = (organizationId: string) => tablesContaining(fixture.tables.url, organizationId);
  await eventually(async () => {
    for (const { organizationId } of [gone, stays]) expect(await tables(organizationId)).toContain('disruption_update');
  });
  const before = await tables(stays.organizationId);
  const { organizationId } = gone;
  await fixture.publish(
    outgoingEvent(OrganizationDeletedSchema, { organizationId }, { organizationId, aggregateId: organizationId }),
  );
  // Only the record of the deletion and the consumer's cursor remain, until the event can no longer be redelivered.
  await eventually(async () =>
    expect((await tables(organizationId)).filter((name) => name !== 'published_event')).toEqual([
      'inbox',
      'stopped_organization',
    ]),
  );
  expect(await tables(stays.organizationId)).toEqual(before);
});
