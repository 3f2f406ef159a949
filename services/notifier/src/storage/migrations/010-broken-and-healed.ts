import { sqlMigration } from '@tocsin/database';

/** Adds probes and fallbacks for broken channels, and a flag for deliveries that are sent late. */
export const brokenAndHealed = sqlMigration(
  '010-broken-and-healed',
  `
  alter table channel
    add column fallback_channel_id uuid references channel on delete set null,
    -- Number of failed probes since the channel broke, and the time of the next probe.
    add column probes integer not null default 0,
    add column probe_at timestamptz;
  select set_config('tocsin.every_organization', 'on', true);
  update channel set probe_at = broken_at where broken_at is not null;
  create index channel_probe on channel (probe_at) where broken_at is not null;
  create index channel_fallback on channel (fallback_channel_id) where fallback_channel_id is not null;

  alter table delivery
    add column late boolean not null default false,
    -- Time at which the delivery became due again. Its attempts end a day later.
    add column due_since timestamptz;
  `,
);
