import type { QueryConfig } from 'pg';

/** Limits of a transaction or a statement. Absent ones have the default of the connection. */
export interface QueryLimits {
  /** Maximum time to wait for the result of a statement, in milliseconds. */
  readonly queryTimeoutMs?: number;
}

/**
 * Limits for statements that process a long history, or rows of all organizations, at once. The limit of 10 minutes
 * does not apply to the statement that begins a transaction, so that a host that has vanished from the network is still
 * noticed early.
 */
export const LONG_STATEMENTS: QueryLimits = { queryTimeoutMs: 600_000 };

/** A statement with a limit of its own, in milliseconds. */
export type LimitedQuery = QueryConfig & { readonly query_timeout?: number };

/** Returns a query that waits for its result no longer than the limit. */
export function limited(query: QueryConfig, { queryTimeoutMs }: QueryLimits): LimitedQuery {
  return Object.assign(query, queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs });
}
