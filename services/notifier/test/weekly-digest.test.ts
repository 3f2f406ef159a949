import { outgoingEvent } from '@tocsin/outbox';
import { MonitorCreatedSchema, MonitorDeletedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { startMailServer } from './start-mail-server.ts';
import { notifierFixture } from './start-notifier.ts';

const DAY_MS = 24 * 3_600_000;
/** Clock that starts on a Sunday. */
const clock = manualClock('2026-11-15T12:00:00Z');
const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);

const mails = await startMailServer();
const fixture = await notifierFixture(
  { smtpUrl: mails.url },
  {
    now: clock.now,
    digestEveryMs: 50,
    owners: { of: async (organizationId) => [{ id: organizationId, email: `${organizationId}@example.com` }] },
  },
);
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

function aMonitorOf(organizationId: string, name: string) {
  const id = v7();
  const about = { organizationId, aggregateId: id };
  const monitor = (alertChannelIds: string[]) => ({ id, organizationId, name, alertChannelIds, configJson: '{}' });
  return {
    created: (...ids: string[]) => outgoingEvent(MonitorCreatedSchema, { monitor: monitor(ids) }, about),
    updated: (...ids: string[]) => outgoingEvent(MonitorUpdatedSchema, { monitor: monitor(ids) }, about),
    deleted: () => outgoingEvent(MonitorDeletedSchema, { monitor: monitor([]) }, about),
  };
}

/**
 * Waits until this number of monitors of an organization is recorded. An event does not wait for a predecessor that is
 * older than what the stream keeps, so the creations must be handled before later events are published.
 */
const recorded = (organizationId: string, count: number) =>
  eventually(async () => {
    const sql = 'select id from watched_monitor where organization_id = $1';
    expect(await fixture.query(sql, [organizationId])).toHaveLength(count);
  });

/** Waits until exactly these monitors of an organization are recorded as having no channel. */
const withoutChannel = (organizationId: string, ...names: string[]) =>
  eventually(async () => {
    const rows = await fixture.query(
      'select name from watched_monitor where organization_id = $1 and unheard_since is not null order by name',
      [organizationId],
    );
    expect(rows).toEqual(names.toSorted().map((name) => ({ name })));
  });

/** Waits until this number of emails is sent and recorded, and returns the emails. */
const inbox = (organizationId: string, count: number) =>
  eventually(async () => {
    const rows = await fixture.query('select status from delivery where organization_id = $1', [organizationId]);
    expect(rows).toEqual(Array(count).fill({ status: 'sent' }));
    return mails.to(`${organizationId}@example.com`);
  });

test('on Monday at 09:00, owners get a digest of monitors that have had no channel for a week', async () => {
  const [acme, calm, early] = [v7(), v7(), v7()];
  const channel = await fixture.createChannel(acme, { url: 'http://127.0.0.1:9/' });
  const deleted = await fixture.createChannel(acme, { url: 'http://127.0.0.1:9/' });
  const monitor = (name: string) => aMonitorOf(acme, name);
  const [shop, linked, gone] = [monitor('Shop'), monitor('Linked'), monitor('Gone')];
  const [unlinked, renamed] = [monitor('Unlinked'), monitor('Renamed')];
  // A link to a nonexistent channel does not count.
  await fixture.publishAt(ago(12), shop.created(v7()), linked.created(), gone.created(), unlinked.created(channel.id));
  await fixture.publishAt(ago(11), renamed.created());
  await recorded(acme, 5);
  await fixture.publishAt(ago(11), linked.updated(channel.id), gone.deleted());
  await fixture.publishAt(ago(10), unlinked.updated(), monitor('Orphan').created(deleted.id));
  await fixture.publishAt(new Date('2026-11-09T09:00:00Z'), monitor('A week').created());
  await fixture.publishAt(new Date('2026-11-09T09:00:01Z'), monitor('Less').created());
  await fixture.publishAt(ago(2), renamed.updated());
  await fixture.publishAt(ago(12), aMonitorOf(calm, 'Calm').created());
  const names = ['Shop', 'Unlinked', 'Renamed', 'A week', 'Less'];
  await withoutChannel(acme, ...names);
  await withoutChannel(calm, 'Calm');
  await fixture.rpc.deleteChannel({ id: deleted.id }, await fixture.as(acme));
  await withoutChannel(acme, ...names, 'Orphan');

  // On Monday at 08:59, the digest of the week that just ended is not due yet.
  clock.advance(21 * 3_600_000 - 60_000);
  await fixture.publishAt(ago(30), aMonitorOf(early, 'Early').created());
  await inbox(early, 1);
  await inbox(acme, 0);

  clock.advance(60_000);
  await inbox(early, 2);
  const [digest] = await inbox(acme, 1);
  expect(digest?.headers.subject).toBe('Weekly digest: 4 monitors have no alert channel');
  expect(digest?.text).toContain(
    'Shop: since 3 Nov 2026\nRenamed: since 4 Nov 2026\nUnlinked: since 5 Nov 2026\nA week: since 9 Nov 2026\n\n',
  );
  const [single] = await inbox(calm, 1);
  expect(single?.headers.subject).toBe('Weekly digest: 1 monitor has no alert channel');
});

test('a digest that was due while the notifier was down is sent exactly once afterwards', async () => {
  const [acme, other] = [v7(), v7()];
  clock.advance(2 * DAY_MS);
  await fixture.publishAt(ago(30), aMonitorOf(acme, 'Shop').created());
  await inbox(acme, 1);
  clock.advance(DAY_MS);
  await fixture.publishAt(ago(30), aMonitorOf(other, 'Later').created());
  await inbox(other, 1);
  await inbox(acme, 1);
  clock.advance(5 * DAY_MS);
  await inbox(other, 2);
  expect(await inbox(acme, 2)).toHaveLength(2);
});
