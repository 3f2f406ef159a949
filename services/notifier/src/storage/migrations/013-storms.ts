import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds storms, which combine the changes of many monitors of an organization into one message for each channel. */
export const storms = sqlMigration(
  '013-storms',
  `
  create table storm (
    id uuid primary key,
    -- An organization has at most one storm at a time.
    organization_id uuid not null unique,
    started_at timestamptz not null,
    -- Time of the next message, and number of messages so far.
    due_at timestamptz not null,
    messages integer not null default 0
  );
  create index storm_due on storm (due_at);
  ${protectByOrganization('storm')}

  alter table delivery
    drop constraint delivery_status_check,
    add constraint delivery_status_check
      check (status in ('pending', 'sent', 'failed', 'dropped', 'held', 'grouped')),
    -- Storm whose next message will name the delivery; null after a message has named it.
    add column storm_id uuid;
  create index delivery_grouped on delivery (storm_id) where storm_id is not null;
  -- Changes that a message about several monitors names.
  alter table alert add column changes jsonb;
  create index alert_recent on alert (organization_id, occurred_at);
  `,
);
