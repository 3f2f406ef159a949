import { sqlMigration } from '@tocsin/database';

export const renewedCertificates = sqlMigration(
  '011-renewed-certificates',
  `
  -- Time since which no region has received the certificate.
  alter table certificate_notice add column renewed_at timestamptz;
  create index certificate_notice_open on certificate_notice (monitor_id) where renewed_at is null;
  `,
);
