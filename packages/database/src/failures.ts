import { DriverException } from '@mikro-orm/core';
import { ServiceError } from '@tocsin/errors';

/** SQLSTATE of a driver error, wherever the ORM wrapped it; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? sqlState(error.cause) : undefined;
}

/** Name of the unique or foreign-key constraint that refused a write; undefined when none did. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('constraint' in error && typeof error.constraint === 'string') return error.constraint;
  return 'cause' in error ? violatedConstraint(error.cause) : undefined;
}

/** serialization_failure and deadlock_detected: the same work may succeed at once. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Connection exceptions, shutdowns, too many connections, a full disk: nothing is wrong with the request. */
const AWAY = /^(08...|57P0[123]|53[0-4]00|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

/** Messages of pg, without a code, about a connection that broke or was not available in time. */
const LOST = /connection terminated|is not queryable|timeout exceeded when trying to connect/i;

/** Returns ServiceError `unavailable` for an unreachable database, and every other error unchanged. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const state = sqlState(error);
  const lost = error instanceof Error && LOST.test(error.message);
  if (lost || (state !== undefined && AWAY.test(state))) {
    return new ServiceError('unavailable', 'the database is away; try again in a moment', { cause: error });
  }
  return error instanceof DriverException || error instanceof Error ? error : new Error(String(error));
}
