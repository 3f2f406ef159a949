import { ServiceError } from '@tocsin/errors';

/** Returns the SQLSTATE of a driver error, even if the ORM has wrapped the error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? sqlState(error.cause) : undefined;
}

/** Returns the unique or foreign-key constraint that rejected a write; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('constraint' in error && typeof error.constraint === 'string') return error.constraint;
  return 'cause' in error ? violatedConstraint(error.cause) : undefined;
}

/**
 * Returns whether a transaction failed because of a serialization failure or a deadlock. Such a transaction may succeed
 * if it is retried.
 */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Returns whether a statement failed because it waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/**
 * Returns whether a write failed because the server is a standby. After a failover, a connection may lead to the former
 * primary server. It must not be used again.
 */
export function isStandby(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/**
 * Returns whether a statement failed only because an earlier statement of its transaction had failed. This is also the
 * case if the statement was to be prepared by an earlier one, which failed.
 */
export function isAfterFailure(error: unknown): boolean {
  const state = sqlState(error);
  return state === '25P02' || state === '26000';
}

/**
 * Returns whether a prepared statement failed because a migration changed the statement's result columns after the
 * preparation.
 */
export function isPlanOutdated(error: unknown): boolean {
  return sqlState(error) === '0A000' && error instanceof Error && /cached plan must not change/i.test(error.message);
}

/**
 * SQLSTATEs of failures that the request did not cause: no connection, shutdown, too many connections, full disk, a
 * statement or lock that took too long, and a write on a server that is a standby (after a failover).
 */
const AWAY = /^(08...|57P0[123]|57014|53[0-4]00|55P03|25006)$/;

/** System errors of connections. ENOENT is the error for the socket of a local server that is down. */
const NO_CONNECTION =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;

/** Messages of pg errors without a code that report a lost connection, or a timeout of a query or of the pool. */
const LOST = /connection terminated|is not queryable|query read timeout|timeout exceeded when trying to connect/i;

/** Returns ServiceError `unavailable` for an unreachable database, and every other error unchanged. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const state = sqlState(error);
  const lost = error instanceof Error && LOST.test(error.message);
  if (lost || (state !== undefined && (AWAY.test(state) || NO_CONNECTION.test(state)))) {
    return new ServiceError('unavailable', 'the database is unavailable; try again in a moment', { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
