import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type CertificateExpiring,
  CertificateExpiringSchema,
  CertificateRenewedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { afterAll, expect, test } from 'vitest';
import { getCertificate } from '../src/app/certificates/get-certificate.ts';
import { updateMonitor } from '../src/app/monitors/update-monitor.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { certificate, historyFixture, resultOf } from './start-history.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

/** Returns the time `days` days and 12 hours from now. */
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY + DAY / 2);

/** Returns the published events about a monitor's certificates, oldest first. */
async function announced({ id, organizationId }: Monitor): Promise<CertificateExpiring[]> {
  const sql = 'select payload from outbox where aggregate_id = $1 and type = $2 order by sequence';
  const rows = await database.transaction({ organizationId }, (tx) =>
    tx.query<{ payload: Buffer }>(sql, [id, CertificateExpiringSchema.typeName]),
  );
  return rows.map(({ payload }) => fromBinary(CertificateExpiringSchema, payload));
}

test('for each certificate of a monitor, one event is published per expiry threshold that it reaches', async () => {
  const monitor = await fixture.monitor();
  const old = certificate('old', inDays(30));
  for (let day = 30; day >= -1; day -= 1) {
    const result = resultOf(monitor, { roundAt: clock.now(), certificate: old });
    await fixture.record(result, { ...result, region: 'b' });
    await fixture.record(result);
    clock.advance(DAY);
    await database.transaction('every organization', (tx) => dropOldPartitions(tx, clock.now()));
  }
  await fixture.record(resultOf(monitor, { roundAt: clock.now(), certificate: certificate('new', inDays(5)) }));
  const events = await announced(monitor);
  expect(
    events.map(({ certificate, thresholdDays, daysRemaining }) => [
      certificate?.fingerprint,
      thresholdDays,
      daysRemaining,
    ]),
  ).toEqual([...[28, 14, 7, 1, 0].map((days) => ['old', days, days]), ['new', 7, 5]]);
  expect(events[0]).toMatchObject({
    monitor: { id: monitor.id, name: 'Shop' },
    certificate: { issuer: 'Authority', notAfter: timestampFromDate(old.notAfter) },
  });
});

test('an expiry threshold that is reached under maintenance is announced after the maintenance', async () => {
  const monitor = await fixture.monitor();
  const result = () => resultOf(monitor, { roundAt: clock.now(), certificate: certificate('soon', inDays(5)) });
  const maintenance = (sql: string) =>
    database.transaction(monitor, (tx) => tx.query(sql, [monitor.id, monitor.organizationId, clock.now()]));
  await maintenance(
    `insert into maintenance (disruption_id, monitor_id, organization_id, from_at) values (gen_random_uuid(), $1, $2, $3)`,
  );
  await fixture.record(result());
  expect(await announced(monitor)).toEqual([]);
  clock.advance(MINUTE);
  await maintenance('update maintenance set to_at = $3 where monitor_id = $1 and organization_id = $2');
  clock.advance(MINUTE);
  await fixture.record(result());
  expect(await announced(monitor)).toMatchObject([{ thresholdDays: 7 }]);
});

test('a renewal is published once, as soon as no region receives an expiring certificate', async () => {
  const monitor = await fixture.monitor();
  const { id, organizationId } = monitor;
  const renewals = async () => {
    const sql = 'select payload from outbox where aggregate_id = $1 and type = $2';
    const parameters = [id, CertificateRenewedSchema.typeName];
    return (await database.transaction({ organizationId }, (tx) => tx.query(sql, parameters))).length;
  };
  const seen = (region: string, fingerprint: string, days: number) =>
    resultOf(monitor, { roundAt: clock.now(), region, certificate: certificate(fingerprint, inDays(days)) });
  await fixture.record(seen('a', 'old', 20), seen('b', 'old', 20));
  clock.advance(MINUTE);
  await fixture.record(seen('a', 'new', 90));
  expect(await renewals()).toBe(0);
  clock.advance(MINUTE);
  await fixture.record(seen('b', 'next', 10));
  // Region b now receives another certificate, but this one expires soon too.
  expect(await renewals()).toBe(0);
  clock.advance(MINUTE);
  await fixture.record(seen('b', 'new', 90));
  expect(await renewals()).toBe(1);
  clock.advance(MINUTE);
  await fixture.record(seen('a', 'new', 90), seen('b', 'new', 90));
  expect(await renewals()).toBe(1);
});

test("the returned certificate is the worst of the regions' latest certificates", async () => {
  const monitor = await fixture.monitor();
  const ask = () => getCertificate(deps, monitor.organizationId, monitor.id);
  await expect(ask()).rejects.toMatchObject({ kind: 'not_found', message: expect.stringContaining('certificate') });
  const roundAt = clock.now();
  const [good, bad] = [
    certificate('good', inDays(90)),
    certificate('bad', inDays(200), { valid: false, problem: 'self-signed' }),
  ];
  await fixture.record(
    resultOf(monitor, { roundAt, certificate: good }),
    resultOf(monitor, { roundAt, region: 'b', certificate: bad }),
    resultOf(monitor, { roundAt, region: 'gone', certificate: certificate('forgotten', inDays(-5)) }),
  );
  expect(await ask()).toEqual({ certificate: bad, daysRemaining: 200 });

  // A late result does not restore an earlier certificate, and a certificate is not valid after its expiry.
  clock.advance(MINUTE);
  await fixture.record(
    resultOf(monitor, { roundAt: clock.now(), region: 'b', certificate: certificate('renewed', inDays(99)) }),
  );
  await fixture.record(resultOf(monitor, { roundAt: new Date(roundAt.getTime() - 1), region: 'b', certificate: bad }));
  expect((await ask()).certificate).toEqual(good);
  clock.advance(91 * DAY);
  expect(await ask()).toEqual({ certificate: { ...good, valid: false }, daysRemaining: -1 });

  await updateMonitor(deps, monitor.organizationId, monitor.id, { configJson: '{"url":"https://other.example.com/"}' });
  await expect(ask()).rejects.toMatchObject({ kind: 'not_found' });
});
