import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds reminders, escalation, quiet hours, hourly limits and alerts about flapping monitors. */
export const alertPolicy = sqlMigration(
  '014-alert-policy',
  `
  alter table channel
    add column reminder_minutes integer,
    add column quiet_from text,
    add column quiet_to text,
    add column quiet_time_zone text,
    add column max_messages_per_hour integer,
    add check (num_nulls(quiet_from, quiet_to, quiet_time_zone) in (0, 3));

  -- Times at which a channel is alerted or reminded, if the outage continues and is not acknowledged.
  create table outage_timer (
    alert_id uuid not null references alert on delete cascade,
    channel_id uuid not null references channel on delete cascade,
    kind text not null check (kind in ('escalation', 'reminder')),
    organization_id uuid not null,
    monitor_id uuid not null,
    due_at timestamptz not null,
    primary key (alert_id, channel_id, kind)
  );
  create index outage_timer_due on outage_timer (due_at);
  create index outage_timer_by_monitor on outage_timer (monitor_id);
  create index outage_timer_by_channel on outage_timer (channel_id);
  ${protectByOrganization('outage_timer')}

  -- Number of messages to a channel in the hour that began with the first of these messages.
  create table channel_hour (
    channel_id uuid primary key references channel on delete cascade,
    organization_id uuid not null,
    started_at timestamptz not null,
    messages integer not null
  );
  ${protectByOrganization('channel_hour')}

  alter table delivery
    -- Why the delivery is held back, and the time at which a message that names it is due; null after a message has
    -- named it.
    add column hold_reason text check (hold_reason in ('quiet_hours', 'limit', 'flapping')),
    add column hold_until timestamptz,
    -- Set for the last message within the hourly limit. Further alerts are held back until this time.
    add column held_back_until timestamptz,
    add check ((hold_reason is null) = (hold_until is null));
  create index delivery_hold on delivery (hold_until) where hold_until is not null;
  create index delivery_hold_by_channel on delivery (channel_id) where hold_until is not null;

  create index alert_by_monitor on alert (monitor_id, occurred_at);
  `,
);
