import { outgoingEvent } from '@tocsin/outbox';
import {
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';
import { eventually, tablesContaining } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, newChannel, deliveriesOf, finished, events } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

type Schema = typeof OrganizationStoppedSchema | typeof OrganizationResumedSchema | typeof OrganizationDeletedSchema;

const publish = (schema: Schema, organizationId: string) =>
  fixture.publish(
    outgoingEvent<typeof schema>(schema, { organizationId }, { organizationId, aggregateId: organizationId }),
  );
// Reads the column from the table, because the service refuses the credentials of a stopped organization.
const isEnabled = async (id: string) =>
  (await fixture.query<{ enabled: boolean }>('select enabled from channel where id = $1', [id]))[0]?.enabled;

test('nothing is sent for a stopped organization until it resumes', async () => {
  const acme = v7();
  const [channel, waiting, disabled] = [await newChannel(acme), await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: disabled.id, enabled: false }, await fixture.as(acme));
  const other = v7();
  const theirs = await newChannel(other);
  // The receiver has not responded yet when the organization is stopped.
  const { promise: response, resolve: respond } = Promise.withResolvers<{ status: number }>();
  receiver.answer(waiting.path, () => response);
  await fixture.publish(aMonitor(acme, [waiting.id]).wentDown('2026-01-01T10:00:00Z'));
  await eventually(() => expect(receiver.on(waiting.path).length).toBeGreaterThan(0));

  await publish(OrganizationStoppedSchema, acme);
  await eventually(async () => expect(await isEnabled(channel.id)).toBe(false));
  await finished(waiting.id, ['dropped']);
  const attempts = receiver.on(waiting.path).length;
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T11:00:00Z'));
  await fixture.publish(aMonitor(other, [theirs.id]).wentDown('2026-01-01T11:00:00Z'));
  await finished(theirs.id, ['sent']);
  expect(await deliveriesOf(channel.id)).toEqual([]);
  respond({ status: 503 });
  expect(receiver.on(waiting.path)).toHaveLength(attempts);

  await publish(OrganizationResumedSchema, acme);
  await eventually(async () => expect(await isEnabled(channel.id)).toBe(true));
  expect(await isEnabled(disabled.id)).toBe(false);
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T12:00:00Z'));
  await finished(channel.id, ['sent']);
  expect(events(channel.path)).toEqual(['monitor_down']);
});

test('deleting an organization deletes all of its rows and no rows of another organization', async () => {
  const [acme, other] = [v7(), v7()];
  for (const organizationId of [acme, other]) {
    const channel = await newChannel(organizationId);
    await fixture.publish(aMonitor(organizationId, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['sent']);
  }
  const tables = (organizationId: string) => tablesContaining(fixture.tables.url, organizationId);
  const before = await tables(other);
  expect(before).toEqual(expect.arrayContaining(['alert', 'channel', 'delivery', 'delivery_attempt']));
  await publish(OrganizationDeletedSchema, acme);
  await eventually(async () =>
    expect((await tables(acme)).filter((name) => name !== 'published_event')).toEqual([
      'inbox',
      'stopped_organization',
    ]),
  );
  expect(await tables(other)).toEqual(before);
});
