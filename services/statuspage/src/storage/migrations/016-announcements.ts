import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds a table that records when automatic disruptions are announced to the subscribers of a page. */
export const announcements = sqlMigration(
  '016-announcements',
  `
  create table announcement (
    -- Not a foreign key, because its check would lock the page after its components. Rows of deleted pages remain until
    -- the disruption is deleted.
    status_page_id uuid not null,
    disruption_id uuid not null references disruption_view on delete cascade,
    organization_id uuid not null,
    monitor_id uuid,
    -- Time at which the disruption is announced if it is still open; null after the announcement.
    due_at timestamptz,
    announced_at timestamptz,
    primary key (status_page_id, disruption_id),
    check ((due_at is null) = (announced_at is not null))
  );
  create index announcement_due on announcement (due_at) where due_at is not null;
  create index announcement_by_disruption on announcement (disruption_id);
  create index announcement_by_monitor on announcement (status_page_id, monitor_id, announced_at);
  ${protectByOrganization('announcement')}`,
);
