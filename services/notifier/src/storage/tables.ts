/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  alert: {
    id: string;
    organization_id: string;
    event_id: string;
    kind: string;
    monitor_id: string;
    monitor_name: string;
    monitor_url: string;
    at: Date;
    down_since: Date | null;
    error: string;
    occurred_at: Date;
    cert_expires_at: Date | null;
    cert_days_remaining: number | null;
    disruption_id: string | null;
    incident_key: string | null;
    changes: unknown;
  };
  channel: {
    id: string;
    organization_id: string;
    name: string;
    type: string;
    sealed_config: string;
    enabled: boolean;
    default_for_new_monitors: boolean;
    broken_at: Date | null;
    broken_reason: string | null;
    failed_alerts: number;
    revision: number;
    created_at: Date;
    updated_at: Date;
    failing_since: Date | null;
    deleted_at: Date | null;
    fallback_channel_id: string | null;
    probes: number;
    probe_at: Date | null;
    reminder_minutes: number | null;
    quiet_from: string | null;
    quiet_to: string | null;
    quiet_time_zone: string | null;
    max_messages_per_hour: number | null;
    enabled_before_stop: boolean;
  };
  channel_hour: {
    channel_id: string;
    organization_id: string;
    started_at: Date;
    messages: number;
  };
  delivery: {
    id: string;
    position: number;
    organization_id: string;
    alert_id: string | null;
    channel_id: string | null;
    resource_id: string;
    status: string;
    attempts: number;
    next_attempt_at: Date;
    leased_until: Date | null;
    last_error: string | null;
    created_at: Date;
    finished_at: Date | null;
    message_id: string | null;
    subscription_id: string | null;
    mail_id: string | null;
    owner_id: string | null;
    owner_address: string | null;
    reached: string[];
    recipient_id: string;
    late: boolean;
    due_since: Date | null;
    order_id: string | null;
    storm_id: string | null;
    hold_reason: string | null;
    hold_until: Date | null;
    held_back_until: Date | null;
  };
  delivery_attempt: {
    id: string;
    delivery_id: string;
    organization_id: string;
    at: Date;
    outcome: string;
    http_status: number | null;
    duration_ms: number;
    error: string | null;
    response: string | null;
  };
  delivery_head: {
    recipient_id: string;
    resource_id: string;
    organization_id: string;
    delivery_id: string;
    attempts: number;
    due_at: Date;
  };
  link_key: {
    only_one: boolean;
    sealed_key: string;
  };
  mail_count: {
    organization_id: string;
    counted: string;
    hour: Date;
    mails: number;
  };
  mail_recipient: {
    organization_id: string;
    mark: string;
    sealed_address: string;
    status: string;
    refusal: string | null;
    ask_at: Date | null;
    asked: number;
    asked_at: Date | null;
  };
  mailbox_request: {
    mailbox: string;
    day: Date;
    requests: number;
  };
  message: {
    id: string;
    organization_id: string;
    event_id: string;
    kind: string;
    body: string;
    occurred_at: Date;
  };
  open_incident: {
    channel_id: string;
    key: string;
    organization_id: string;
    monitor_id: string;
    monitor_name: string;
    monitor_url: string;
  };
  outage_timer: {
    alert_id: string;
    channel_id: string;
    kind: string;
    organization_id: string;
    monitor_id: string;
    due_at: Date;
  };
  owner_mail: {
    id: string;
    position: number;
    organization_id: string;
    event_id: string;
    kind: string;
    resource_id: string;
    subject: string;
    body_text: string;
    body_html: string;
    occurred_at: Date;
    addressed_at: Date | null;
    letter: unknown;
  };
  paused_recipient: {
    recipient_id: string;
    organization_id: string;
    until: Date;
  };
  slow_recipient: {
    recipient_id: string;
    organization_id: string;
    since: Date;
  };
  storm: {
    id: string;
    organization_id: string;
    started_at: Date;
    due_at: Date;
    messages: number;
  };
  subscription: {
    id: string;
    organization_id: string;
    url: string;
    events: string[];
    sealed_secret: string;
    enabled: boolean;
    revision: number;
    created_at: Date;
    updated_at: Date;
    disabled_at: Date | null;
    disabled_reason: string | null;
    previous_sealed_secret: string | null;
    previous_secret_until: Date | null;
    enabled_before_stop: boolean;
  };
  watched_monitor: {
    id: string;
    organization_id: string;
    name: string;
    channel_ids: string[];
    unheard_since: Date | null;
  };
}
