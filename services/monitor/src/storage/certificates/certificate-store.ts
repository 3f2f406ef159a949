import type { Transaction } from '@tocsin/database';
import type { Certificate } from '../../domain/certificates/certificate.ts';
import type { Tables } from '../tables.ts';

/** A certificate that a region received, with the time of the round. */
export interface Sighting {
  readonly monitorId: string;
  readonly region: string;
  readonly at: Date;
  readonly certificate: Certificate;
}

/**
 * Saves the latest certificate of each region. `sightings` must contain at most one entry per monitor and region.
 * Nearly all certificates are unchanged, and cause no write.
 */
export async function saveCertificates(tx: Transaction, sightings: readonly Sighting[]): Promise<void> {
  if (sightings.length === 0) return;
  const column = <Value>(pick: (certificate: Certificate) => Value) =>
    sightings.map(({ certificate }) => pick(certificate));
  await tx.query(
    `insert into certificate (monitor_id, organization_id, region, first_seen_at, fingerprint, issuer, subject, not_before, not_after, valid, problem)
     select s.monitor_id, monitor.organization_id, s.region, s.seen_at, s.fingerprint, s.issuer, s.subject, s.not_before, s.not_after, s.valid, s.problem
     from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::boolean[], $10::text[])
       as s(monitor_id, region, seen_at, fingerprint, issuer, subject, not_before, not_after, valid, problem)
     join monitor on monitor.id = s.monitor_id
     where not exists (select from certificate known where known.monitor_id = s.monitor_id and known.region = s.region
       and (known.fingerprint, known.valid, known.problem) = (s.fingerprint, s.valid, s.problem))
     on conflict (monitor_id, region) do update set first_seen_at = excluded.first_seen_at, fingerprint = excluded.fingerprint,
       issuer = excluded.issuer, subject = excluded.subject, not_before = excluded.not_before, not_after = excluded.not_after,
       valid = excluded.valid, problem = excluded.problem
     where certificate.first_seen_at < excluded.first_seen_at`,
    [
      sightings.map(({ monitorId }) => monitorId),
      sightings.map(({ region }) => region),
      sightings.map(({ at }) => at),
      column(({ fingerprint }) => fingerprint),
      column(({ issuer }) => issuer),
      column(({ subject }) => subject),
      column(({ notBefore }) => notBefore ?? null),
      column(({ notAfter }) => notAfter),
      column(({ valid }) => valid),
      column(({ problem }) => problem),
    ],
  );
}

type CertificateRow = Pick<
  Tables['certificate'],
  'fingerprint' | 'issuer' | 'subject' | 'not_before' | 'not_after' | 'valid' | 'problem'
>;

/** Returns the latest certificate of a monitor's target from each region. */
export async function findCertificates(
  tx: Transaction,
  monitorId: string,
  regions: readonly string[],
): Promise<Certificate[]> {
  const rows = await tx.query<CertificateRow>(
    `select fingerprint, issuer, subject, not_before, not_after, valid, problem from certificate
     where monitor_id = $1 and region = any($2)`,
    [monitorId, regions],
  );
  return rows.map(({ not_before, not_after, ...row }) => ({
    ...row,
    notBefore: not_before ?? undefined,
    notAfter: not_after,
  }));
}

/** Deletes the certificates of a monitor, because its target may have changed. */
export async function deleteCertificates(tx: Transaction, monitorId: string): Promise<void> {
  await tx.query('delete from certificate where monitor_id = $1', [monitorId]);
}

/** Key of an expiry notice. A notice is published once for each monitor, certificate and threshold. */
export interface Announcement {
  readonly monitorId: string;
  readonly fingerprint: string;
  readonly thresholdDays: number;
}

/**
 * Records expiry notices and returns the new ones. The caller must publish these in the same transaction. Concurrent
 * transactions don't get the same notice.
 */
export async function popAnnouncements(tx: Transaction, wanted: readonly Announcement[]): Promise<Announcement[]> {
  if (wanted.length === 0) return [];
  return tx.query<Announcement>(
    `insert into certificate_notice (monitor_id, organization_id, fingerprint, threshold_days)
     select w.monitor_id, monitor.organization_id, w.fingerprint, w.threshold_days
     from unnest($1::uuid[], $2::text[], $3::smallint[]) as w(monitor_id, fingerprint, threshold_days)
     join monitor on monitor.id = w.monitor_id
     where not exists (select from certificate_notice lower where lower.monitor_id = w.monitor_id
       and lower.fingerprint = w.fingerprint and lower.threshold_days <= w.threshold_days)
     on conflict do nothing
     returning monitor_id as "monitorId", fingerprint, threshold_days as "thresholdDays"`,
    [
      wanted.map(({ monitorId }) => monitorId),
      wanted.map(({ fingerprint }) => fingerprint),
      wanted.map(({ thresholdDays }) => thresholdDays),
    ],
  );
}

/**
 * Marks certificates as renewed if they were announced as expiring and no region receives them any longer. Returns the
 * monitors, without duplicates, whose announced certificates have all been renewed. The caller must publish their
 * renewals in the same transaction.
 */
export async function popRenewals(tx: Transaction, monitorIds: readonly string[], now: Date): Promise<string[]> {
  if (monitorIds.length === 0) return [];
  const renewed = await tx.query<{ monitor_id: string }>(
    `update certificate_notice n set renewed_at = $2
     where n.monitor_id = any($1::uuid[]) and n.renewed_at is null and not exists (
       select from certificate c where c.monitor_id = n.monitor_id and c.fingerprint = n.fingerprint
     ) returning n.monitor_id`,
    [monitorIds, now],
  );
  if (renewed.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `select distinct t.id from unnest($1::uuid[]) as t(id)
     where not exists (select from certificate_notice n where n.monitor_id = t.id and n.renewed_at is null)`,
    [renewed.map((row) => row.monitor_id)],
  );
  return rows.map(({ id }) => id);
}
