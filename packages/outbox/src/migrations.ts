import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Migrations for the tables of this package. A service lists these before its own migrations. */
export const outboxMigrations = [
  sqlMigration(
    'outbox-001-tables',
    `
    -- Events that were committed and are not published yet.
    create table outbox (
      position bigint generated always as identity primary key,
      id uuid not null,
      type text not null,
      organization_id uuid not null,
      aggregate_id uuid not null,
      sequence bigint not null,
      previous_at timestamptz,
      occurred_at timestamptz not null,
      trace text not null,
      payload bytea not null
    );
    -- Number of events of each aggregate. The lock of its row ensures that the events have the order of the commits.
    create table outbox_sequence (
      aggregate_id uuid primary key,
      last bigint not null,
      last_at timestamptz not null
    );
    -- Number of the last event that each consumer has handled, by aggregate of another service.
    create table inbox (
      consumer text not null,
      aggregate_id uuid not null,
      sequence bigint not null,
      primary key (consumer, aggregate_id)
    );
    -- Events that a consumer could not handle, or that the relay could not publish.
    create table dead_letter (
      consumer text not null,
      event_id uuid not null,
      type text not null,
      organization_id uuid,
      aggregate_id uuid,
      sequence bigint,
      payload bytea not null,
      error text not null,
      died_at timestamptz not null default now(),
      primary key (consumer, event_id)
    );`,
  ),
  sqlMigration(
    'outbox-002-organizations',
    `
    -- The relay reads the oldest rows of each organization.
    create index outbox_by_organization on outbox (organization_id, position)`,
  ),
  sqlMigration(
    'outbox-003-stopped-organizations',
    `
    -- Organizations that are stopped, are being resumed or deleted, or were deleted.
    create table stopped_organization (
      organization_id uuid primary key,
      state text not null check (state in ('stopped', 'resuming', 'deleting', 'deleted')),
      changed_at timestamptz not null
    )`,
  ),
  sqlMigration(
    'outbox-004-published-events',
    `
    -- Events of the outbox that the stream has, of the last hour. They are published again if the stream is lost.
    create table published_event (
      position bigint primary key,
      id uuid not null,
      type text not null,
      organization_id uuid not null,
      aggregate_id uuid not null,
      sequence bigint not null,
      previous_at timestamptz,
      occurred_at timestamptz not null,
      trace text not null,
      payload bytea not null,
      published_at timestamptz not null default now()
    );
    create index published_event_by_time on published_event (published_at);
    -- Time of creation, as NATS returns it, of the stream that has the published events.
    create table event_stream (
      only_row boolean primary key default true check (only_row),
      created text not null
    )`,
  ),
  sqlMigration(
    'outbox-005-row-security',
    ['outbox', 'published_event', 'dead_letter', 'stopped_organization'].map(protectByOrganization).join('\n'),
  ),
  sqlMigration(
    'outbox-006-stream-positions',
    `
    -- Position of the event in the stream; null for events that an earlier version of the program has published.
    alter table published_event add column stream_sequence bigint;
    create index published_event_by_stream_sequence on published_event (stream_sequence)`,
  ),
  sqlMigration(
    'outbox-007-executed-requests',
    `
    -- Requests that may be repeated and that a transaction has carried out.
    create table executed_request (
      organization_id uuid not null,
      -- Id that is the same for each repeat of the request.
      id uuid not null,
      -- What the request has created or changed.
      resource_ids uuid[] not null,
      executed_at timestamptz not null,
      primary key (organization_id, id)
    );
    create index executed_request_by_age on executed_request (executed_at);
    ${protectByOrganization('executed_request')}`,
  ),
  sqlMigration(
    'outbox-008-old-positions',
    `
    -- Day on which the consumer last handled an event of the aggregate. A trigger sets it, so that it is also right
    -- while programs of before handle events.
    alter table inbox add column handled_on date not null default current_date;
    create function handled_today() returns trigger language plpgsql as $$
      begin
        new.handled_on := current_date;
        return new;
      end $$;
    create trigger handled_today before update on inbox for each row execute function handled_today()`,
  ),
  sqlMigration(
    'outbox-009-waiting-events',
    `
    -- Events that the stream has delivered, of organizations that have more of them than a consumer's memory holds.
    create table waiting_event (
      organization_id uuid not null,
      consumer text not null,
      position bigint not null generated always as identity,
      id uuid not null,
      type text not null,
      aggregate_id uuid not null,
      sequence bigint not null,
      previous_at timestamptz,
      occurred_at timestamptz not null,
      trace text not null,
      payload bytea not null,
      primary key (organization_id, consumer, position)
    );
    ${protectByOrganization('waiting_event')}
    -- The replica that handles the waiting events of a consumer. It renews this while it does.
    create table event_reader (
      consumer text primary key,
      reader uuid not null,
      expires_at timestamptz not null
    )`,
  ),
];
