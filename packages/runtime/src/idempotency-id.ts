import type { CallOptions, HandlerContext } from '@connectrpc/connect';
import { invalid } from '@tocsin/errors';

/** Header of a call that carries out a request which may be repeated. */
export const IDEMPOTENCY_ID_HEADER = 'tocsin-idempotency-id';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns options for a call that carries out a request which may be repeated. `id` is a UUID that is the same for each
 * repeat; undefined for a request that can't be repeated safely.
 */
export function withIdempotencyId(id: string | undefined, options: CallOptions): CallOptions {
  if (id === undefined) return options;
  const headers = new Headers(options.headers);
  headers.set(IDEMPOTENCY_ID_HEADER, id);
  return { ...options, headers };
}

/**
 * Returns the id that is the same for each repeat of the request that a call carries out; undefined if the request
 * can't be repeated safely. Ids of different organizations may be the same.
 * @throws ServiceError `invalid` if the id is not a UUID.
 */
export function idempotencyIdOf({ requestHeader }: Pick<HandlerContext, 'requestHeader'>): string | undefined {
  const id = requestHeader.get(IDEMPOTENCY_ID_HEADER)?.toLowerCase();
  if (id !== undefined && !UUID.test(id)) throw invalid({ [IDEMPOTENCY_ID_HEADER]: ['must be a UUID'] });
  return id;
}
