import { sqlMigration } from '@tocsin/database';

/** Adds an index for pages of the audit log. */
export const auditPages = sqlMigration(
  '008-audit-pages',
  'create index audit_log_page on audit_log (organization_id, id);',
);
