import { sqlMigration } from '@tocsin/database';

/** Adds probes and fallbacks of broken channels, and the mark of late deliveries. */
export const brokenAndHealed = sqlMigration(
  '010-broken-and-healed',
  `
  alter table channel
    add column fallback_channel_id uuid references channel on delete set null,
    -- Probes that failed since it is broken, and when the next one is due.
    add column probes integer not null default 0,
    add column probe_at timestamptz;
  select set_config('tocsin.every_organization', 'on', true);
  update channel set probe_at = broken_at where broken_at is not null;
  create index channel_probe on channel (probe_at) where broken_at is not null;
  create index channel_fallback on channel (fallback_channel_id) where fallback_channel_id is not null;

  alter table delivery
    add column late boolean not null default false,
    -- When it became due again; its attempts end a day after that.
    add column due_since timestamptz;
  `,
);
