import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Records open incidents at paging services, so that they are closed regardless of how an outage ends. */
export const openIncidents = sqlMigration(
  '007-open-incidents',
  `
  create table open_incident (
    channel_id uuid not null references channel on delete cascade,
    -- Key of the incident at the provider.
    key text not null,
    organization_id uuid not null,
    monitor_id uuid not null,
    monitor_name text not null,
    monitor_url text not null,
    primary key (channel_id, key)
  );
  create index open_incident_by_monitor on open_incident (monitor_id);
  ${protectByOrganization('open_incident')}

  -- Key of the incident to close, for an alert that only closes an incident.
  alter table alert add column incident_key text;
  `,
);
