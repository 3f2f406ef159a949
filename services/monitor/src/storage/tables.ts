/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  automatic_disruption: {
    disruption_id: string;
    monitor_id: string;
    organization_id: string;
    opened_at: Date;
    warned: boolean;
  };
  broken_channel: {
    channel_id: string;
    organization_id: string;
  };
  certificate: {
    monitor_id: string;
    organization_id: string;
    region: string;
    fingerprint: string;
    issuer: string;
    subject: string;
    not_before: Date | null;
    not_after: Date;
    valid: boolean;
    problem: string;
    first_seen_at: Date;
  };
  certificate_notice: {
    monitor_id: string;
    organization_id: string;
    fingerprint: string;
    threshold_days: number;
    renewed_at: Date | null;
  };
  check_result: {
    monitor_id: string;
    round_at: Date;
    region: string;
    outcome: string;
    error: string;
    status_code: number | null;
    dns_ms: number | null;
    connect_ms: number | null;
    tls_ms: number | null;
    first_byte_ms: number | null;
    total_ms: number | null;
    checked_at: Date;
    organization_id: string;
  };
  day_due: {
    monitor_id: string;
    day: Date;
    organization_id: string;
  };
  deleted_channel: {
    channel_id: string;
    organization_id: string;
    deleted_at: Date;
  };
  down_watch: {
    monitor_id: string;
    organization_id: string;
    down_since: Date;
    warnings: number;
    due_at: Date;
  };
  heartbeat: {
    monitor_id: string;
    organization_id: string;
    expected_seconds: number;
    misses: number;
    miss_at: Date;
    due_at: Date | null;
    job_started_at: Date | null;
    last_error: string;
    window_at: Date;
    window_count: number;
  };
  held_alert: {
    monitor_id: string;
    organization_id: string;
    error: string;
  };
  maintenance: {
    disruption_id: string;
    monitor_id: string;
    organization_id: string;
    from_at: Date;
    to_at: Date | null;
  };
  maintenance_at_work: {
    disruption_id: string;
    organization_id: string;
    component_ids: string[];
  };
  monitor: {
    id: string;
    organization_id: string;
    name: string;
    check_type: string;
    enabled: boolean;
    interval_seconds: number;
    timeout_ms: number;
    confirm_down_minutes: number;
    confirm_up_minutes: number;
    confirm_down_after: number;
    confirm_up_after: number;
    config_json: string;
    alert_channel_ids: string[];
    version: number;
    created_at: Date;
    updated_at: Date;
    secret_names: string[];
    heartbeat_token: string | null;
    heartbeat_token_hash: string | null;
    heartbeat_token_sealed: string | null;
    alert_channel_links: unknown;
    enabled_before_stop: boolean;
  };
  monitor_secrets: {
    monitor_id: string;
    organization_id: string;
    sealed: string;
  };
  monitor_state: {
    monitor_id: string;
    organization_id: string;
    state: string;
    entered_at: Date;
    previous_state: string | null;
    previous_entered_at: Date | null;
    streak_verdict: string | null;
    streak_since: Date | null;
    streak_rounds: number;
    last_round_at: Date | null;
  };
  open_round: {
    monitor_id: string;
    round_at: Date;
    regions: string[];
    deadline: Date;
  };
  presence: {
    since: Date;
    seen_at: Date;
  };
  result_day: {
    monitor_id: string;
    organization_id: string;
    day: Date;
    region: string;
    passed: number;
    failed: number;
    errors: number;
    timeouts: number;
    time_buckets: number[];
    time_counts: number[];
  };
  result_hour: {
    monitor_id: string;
    organization_id: string;
    hour: Date;
    region: string;
    passed: number;
    failed: number;
    errors: number;
    timeouts: number;
    time_buckets: number[];
    time_counts: number[];
  };
  roll_up_due: {
    id: number;
    monitor_id: string;
    organization_id: string;
    hour: Date;
  };
  roll_up_progress: {
    id: boolean;
    sealed_to: Date;
    rolled_to: Date;
  };
  schedule: {
    monitor_id: string;
    next_round_at: Date;
    interval_seconds: number;
    offset_seconds: number;
    timeout_ms: number;
    config_version: number;
  };
  screenshot: {
    monitor_id: string;
    organization_id: string;
    round_at: Date;
    region: string;
    image: Buffer;
  };
  script_run: {
    monitor_id: string;
    organization_id: string;
    round_at: Date;
    region: string;
    steps: unknown;
    log: string[];
    failed_line: number | null;
    failed_column: number | null;
  };
  silence: {
    monitor_id: string;
    organization_id: string;
    first_at: Date;
    last_at: Date;
    step_seconds: number;
  };
  silence_watch: {
    monitor_id: string;
    organization_id: string;
    watched_from: Date;
    look_at: Date;
  };
  transition: {
    id: string;
    monitor_id: string;
    organization_id: string;
    state: string;
    previous_state: string | null;
    entered_at: Date;
    error: string;
    explanation: string;
    rule: string;
    streak_since: Date | null;
    streak_rounds: number;
    votes: unknown;
  };
}
