import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallOptions } from '@connectrpc/connect';

/** Header of a call that is only to be examined. */
export const DRY_RUN_HEADER = 'tocsin-dry-run';

const examined = new AsyncLocalStorage<true>();

/** Runs `work` so that no transaction in it is committed. */
export function inDryRun<Result>(work: () => Result): Result {
  return examined.run(true, work);
}

/** Whether the request that is being served is only examined, so that nothing may be left of it. */
export function isDryRun(): boolean {
  return examined.getStore() === true;
}

/**
 * Call options: find out what is wrong with this request, and do nothing. Such a call always fails: with the fields
 * that are wrong, or with kind `invalid` and none. It suits methods whose only effect is one transaction.
 */
export function asDryRun(options: CallOptions): CallOptions {
  const headers = new Headers(options.headers);
  headers.set(DRY_RUN_HEADER, '1');
  return { ...options, headers };
}
