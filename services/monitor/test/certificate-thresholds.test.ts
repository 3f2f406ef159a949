import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CertificateExpiringSchema } from '@tocsin/proto/monitor/v1/events';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { CONFIG, monitorFixture, publishedEvents, type Shown, startChecker } from './start-monitor.ts';

const DAY = 86_400_000;
const regions = ['a', 'b'];
const fixture = await monitorFixture(regions);
afterAll(() => fixture[Symbol.asyncDispose]());
const first = await fixture.start();
await fixture.start(); // a second replica shares the work of the test

test('for each certificate of a monitor, one event is published per expiry threshold that it reaches', async () => {
  const expiringIn = (fingerprint: string, days: number): Shown => {
    const notAfter = timestampFromDate(new Date(fixture.clock.now().getTime() + (days + 0.5) * DAY));
    return { fingerprint, issuer: 'Authority', subject: 'example.com', notAfter, valid: true };
  };
  let shown = expiringIn('old', 30);
  for (const region of regions) {
    await startChecker(
      fixture.nats,
      region,
      () => 'pass',
      () => shown,
    );
  }
  const client = await first.clientOf(v7());
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    intervalSeconds: 86_400,
  });
  const id = monitor?.id ?? '';
  let rounds = 0;
  /** Runs rounds at the given numbers of days before the certificate expires. */
  async function live(days: readonly number[]): Promise<void> {
    for (const [index, day] of days.entries()) {
      rounds += 1;
      await eventually(async () => expect(await fixture.results(id)).toBe(rounds * regions.length));
      fixture.clock.advance((day - (days[index + 1] ?? day - 1)) * DAY);
      // Create the partitions for the new time. The service creates them only once an hour of real time.
      await fixture.tables.transaction('every organization', (tx) => dropOldPartitions(tx, fixture.clock.now()));
    }
  }
  await live([30, 29, 28, 27, 15, 14, 13, 8, 7, 6, 2, 1, 0, -1]);
  shown = expiringIn('new', 9);
  await live([9, 8, 7, 2, 1, 0, -1]);

  const announced = async () =>
    (await publishedEvents(fixture.nats, CertificateExpiringSchema)).map(({ certificate, thresholdDays }) => [
      certificate?.fingerprint,
      thresholdDays,
    ]);
  const expected = [...[28, 14, 7, 1, 0].map((days) => ['old', days]), ...[14, 7, 1, 0].map((days) => ['new', days])];
  await eventually(async () => expect(await announced()).toEqual(expected));
});
