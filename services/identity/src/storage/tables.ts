/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  api_key: {
    id: string;
    organization_id: string;
    user_id: string;
    name: string;
    secret_hash: Buffer;
    permissions: string[];
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
    created_at: Date;
    created_by_key_id: string | null;
    created_by: string | null;
  };
  app_user: {
    id: string;
    email: string;
    created_at: Date;
    delete_at: Date | null;
  };
  attempt_count: {
    kind: string;
    subject: Buffer;
    started_at: Date;
    attempts: number;
  };
  audit_log: {
    id: string;
    organization_id: string;
    actor: string;
    action: string;
    target_id: string;
    details: string;
    occurred_at: Date;
    address: string | null;
    credential_id: string | null;
  };
  email_change: {
    id: string;
    user_id: string;
    old_email: string;
    new_email: string;
    confirm_hash: Buffer;
    created_at: Date;
    confirmed_at: Date | null;
    undo_hash: Buffer | null;
    expires_at: Date;
  };
  invitation: {
    id: string;
    organization_id: string;
    email: string;
    role: string;
    secret_hash: Buffer;
    invited_by: string;
    created_at: Date;
    expires_at: Date;
  };
  membership: {
    organization_id: string;
    user_id: string;
    role: string;
    created_at: Date;
  };
  oauth_artifact: {
    kind: string;
    id_hash: Buffer;
    grant_id: string | null;
    user_id: string | null;
    user_code_hash: Buffer | null;
    payload: string;
    created_at: Date;
    expires_at: Date;
    consumed_at: Date | null;
    polled_at: Date | null;
    poll_interval_seconds: number;
    network_hash: Buffer | null;
    site_hash: Buffer | null;
  };
  oauth_client: {
    id: string;
    metadata: string;
    created_at: Date;
    used_at: Date | null;
  };
  oauth_grant: {
    id: string;
    organization_id: string;
    user_id: string;
    client_id: string;
    client_name: string;
    scopes: string[];
    created_at: Date;
    expires_at: Date;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  organization: {
    id: string;
    account_number: number;
    name: string;
    created_at: Date;
    delete_at: Date | null;
  };
  organization_domain: {
    id: string;
    organization_id: string;
    domain: string;
    proof: string;
    proven_at: Date | null;
  };
  organization_limit: {
    organization_id: string;
    name: string;
    value: number;
  };
  organization_provider: {
    organization_id: string;
    issuer: string;
    client_id: string;
    sealed_client_secret: string;
    role_claim: string | null;
    updated_at: Date;
    enforced: boolean;
  };
  passkey: {
    id: string;
    user_id: string;
    name: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    created_at: Date;
    last_used_at: Date | null;
  };
  passkey_challenge: {
    challenge_hash: Buffer;
    user_id: string | null;
    expires_at: Date;
  };
  provider_attempt: {
    state_hash: Buffer;
    organization_id: string;
    sealed: string;
    expires_at: Date;
  };
  provider_subject: {
    organization_id: string;
    issuer: string;
    subject: string;
    user_id: string;
  };
  recovery_code: {
    user_id: string;
    code_hash: Buffer;
  };
  service_credential: {
    id: string;
    organization_id: string | null;
    name: string;
    secret_hash: Buffer;
    permissions: string[];
    audiences: string[];
    token_seconds: number;
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
    created_at: Date;
    created_by: string;
  };
  session: {
    id: string;
    user_id: string;
    secret_hash: Buffer;
    address: string;
    user_agent: string;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
    awaits_code: boolean;
    first_factor: string | null;
    proved_at: Date | null;
    provider_organization_id: string | null;
    provider_change: unknown;
    recovery_only: boolean;
  };
  sign_in_link: {
    id: string;
    user_id: string;
    secret_hash: Buffer;
    created_at: Date;
    expires_at: Date;
    by_operator: boolean;
  };
  signing_key: {
    id: string;
    public_jwk: string;
    sealed_private_jwk: string;
    created_at: Date;
  };
  user_password: {
    user_id: string;
    hash: string;
    changed_at: Date;
  };
  user_totp: {
    user_id: string;
    sealed_secret: string;
    created_at: Date;
    enabled_at: Date | null;
    last_step: number;
  };
}
