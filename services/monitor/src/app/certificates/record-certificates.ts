import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { type ExpiryNotice, expiryNotice } from '../../domain/certificates/certificate.ts';
import type { CheckResult } from '../../domain/rounds/check-result.ts';
import { certificateExpiring, certificateRenewed } from '../../events/outgoing.ts';
import {
  type Announcement,
  popAnnouncements,
  popRenewals,
  type Sighting,
  saveCertificates,
} from '../../storage/certificates/certificate-store.ts';
import { findUnderMaintenance } from '../../storage/maintenance/maintenance-store.ts';
import { findMonitorsOfAll } from '../../storage/monitors/monitor-store.ts';

/**
 * Saves the certificates in results. Publishes an event when a certificate reaches an expiry threshold, at most once
 * for each threshold, and an event when the certificate is renewed. A threshold that is reached under maintenance is
 * announced by the first round after it. The remaining days are counted from the time of the
 * round, so that a delay in processing does not change the events.
 */
export async function recordCertificates(tx: Transaction, results: readonly CheckResult[], now: Date): Promise<void> {
  const latest = new Map<string, Sighting>();
  for (const { monitorId, region, roundAt: at, certificate } of results) {
    const key = `${monitorId} ${region}`;
    const known = latest.get(key);
    if (certificate && (!known || known.at < at)) latest.set(key, { monitorId, region, at, certificate });
  }
  const sightings = [...latest.values()];
  await saveCertificates(tx, sightings);
  await announce(tx, sightings, now);
  await publishRenewals(tx, sightings, now);
}

async function publishRenewals(tx: Transaction, sightings: readonly Sighting[], now: Date): Promise<void> {
  const seen = [...new Set(sightings.map(({ monitorId }) => monitorId))];
  const renewed = await popRenewals(tx, seen, now);
  if (renewed.length === 0) return;
  await appendEvents(tx, (await findMonitorsOfAll(tx, renewed)).map(certificateRenewed), now);
}

async function announce(tx: Transaction, sightings: readonly Sighting[], now: Date): Promise<void> {
  const notices = new Map<string, { monitorId: string; notice: ExpiryNotice }>();
  for (const { monitorId, certificate, at } of sightings) {
    const notice = expiryNotice(certificate, at);
    if (!notice) continue;
    const key = keyOf({ monitorId, fingerprint: certificate.fingerprint, thresholdDays: notice.thresholdDays });
    if (!notices.has(key)) notices.set(key, { monitorId, notice });
  }
  if (notices.size === 0) return;
  const all = [...notices.values()];
  const suppressed = await findUnderMaintenance(
    tx,
    all.map(({ monitorId }) => monitorId),
  );
  const wanted = all
    .filter(({ monitorId }) => !suppressed.has(monitorId))
    .map(({ monitorId, notice: { certificate, thresholdDays } }) => ({
      monitorId,
      thresholdDays,
      fingerprint: certificate.fingerprint,
    }));
  const taken = await popAnnouncements(tx, wanted);
  if (taken.length === 0) return;
  const monitors = await findMonitorsOfAll(
    tx,
    taken.map(({ monitorId }) => monitorId),
  );
  const events = taken.flatMap((announcement) => {
    const monitor = monitors.find(({ id }) => id === announcement.monitorId);
    const found = notices.get(keyOf(announcement));
    return monitor && found ? [certificateExpiring(monitor, found.notice)] : [];
  });
  await appendEvents(tx, events, now);
}

function keyOf({ monitorId, fingerprint, thresholdDays }: Announcement): string {
  return `${monitorId} ${fingerprint} ${thresholdDays}`;
}
