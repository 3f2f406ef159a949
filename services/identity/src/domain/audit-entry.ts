/** An action on an organization, as the audit log shows it. */
export interface AuditLogEntry {
  readonly id: string;
  readonly occurredAt: Date;
  readonly actor: string;
  readonly action: string;
  readonly targetId: string;
  /** Further details as JSON text. They contain no secret. */
  readonly detailsJson: string;
  readonly address: string | undefined;
  readonly credentialId: string | undefined;
}

/** Filters for the audit log. An absent filter accepts every entry. */
export interface AuditFilter {
  readonly action?: string | undefined;
  /** Actor, ignoring case. */
  readonly actor?: string | undefined;
  readonly since?: Date | undefined;
  /** End of the time range, exclusive. */
  readonly until?: Date | undefined;
}
