import { OutboundTimeoutError } from './errors.ts';

export interface Limits {
  /** Time for the whole operation, name resolution included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` until it settles, the time is up (OutboundTimeoutError) or the caller's signal aborts (its reason).
 *
 * Returns at the deadline even if `work` ignores its signal, as a name resolution in the thread pool does.
 */
export async function withDeadline<T>(
  target: string,
  { timeoutMs, signal }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const expired = Promise.withResolvers<never>();
  // Listens before `work` does, and so wins the race: an aborted socket's own error would say less than the reason.
  deadline.signal.addEventListener('abort', () => expired.reject(deadline.signal.reason));
  const cancel = () => deadline.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  const timer = setTimeout(() => deadline.abort(new OutboundTimeoutError(target, timeoutMs)), timeoutMs);
  try {
    return await Promise.race([work(deadline.signal), expired.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
