import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const maintenanceAtWork = sqlMigration(
  '007-maintenance-at-work',
  `
  -- Maintenances in progress, with the components that they affect. The monitors linked to those components may change.
  create table maintenance_at_work (
    disruption_id uuid primary key,
    organization_id uuid not null,
    component_ids uuid[] not null
  );
  create index maintenance_at_work_by_organization on maintenance_at_work (organization_id);
  ${protectByOrganization('maintenance_at_work')}
  `,
);
