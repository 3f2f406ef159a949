import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallOptions } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';

/** Header of a call that only validates (AIP-163). */
export const VALIDATE_ONLY_HEADER = 'tocsin-validate-only';

const validating = new AsyncLocalStorage<true>();

/** Runs `work` without committing any of its transactions. */
export function runValidateOnly<Result>(work: () => Result): Result {
  return validating.run(true, work);
}

/** Returns whether the current call only validates. Its changes must then not be committed. */
export function isValidateOnly(): boolean {
  return validating.getStore() === true;
}

/**
 * Returns options for a call that only validates its request. The service rolls the transaction back and responds with
 * an error of kind `invalid`, even if the request is valid. The error contains the field errors, if there are any. May
 * be used only for methods that have no effect outside one transaction, because nothing else is undone.
 */
export function validateOnly(options: CallOptions): CallOptions {
  const headers = new Headers(options.headers);
  headers.set(VALIDATE_ONLY_HEADER, '1');
  return { ...options, headers };
}

const VALID = 'nothing is wrong; a call that only validates changes nothing';

/** Returns the error for a call that only validates its request, if the request is valid. */
export function validError(): ServiceError {
  return new ServiceError('invalid', VALID);
}

/** Returns whether an error comes from `validError`, in this process or in a service that was called by RPC. */
export function isValidError(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'invalid' && error.message === VALID;
}
