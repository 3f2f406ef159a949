import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallOptions } from '@connectrpc/connect';

/** Header of a call that only validates (AIP-163). */
export const VALIDATE_ONLY_HEADER = 'tocsin-validate-only';

const validating = new AsyncLocalStorage<true>();

/** Runs `work` so that no transaction in it is committed. */
export function runValidateOnly<Result>(work: () => Result): Result {
  return validating.run(true, work);
}

/** Whether the request that is being served only validates, so that nothing of it may be committed. */
export function isValidateOnly(): boolean {
  return validating.getStore() === true;
}

/**
 * Returns call options that find what is wrong with a request and change nothing. Such a call always fails: with the
 * fields that are wrong, or with kind `invalid` and none. It suits methods whose only effect is one transaction.
 */
export function validateOnly(options: CallOptions): CallOptions {
  const headers = new Headers(options.headers);
  headers.set(VALIDATE_ONLY_HEADER, '1');
  return { ...options, headers };
}
