import { OutboundTimeoutError } from './errors.ts';

export interface Limits {
  /** Milliseconds for the whole operation, including name resolution. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` and returns its result. Throws at the deadline even if `work` ignores its signal, as a name resolution in
 * the thread pool does.
 * @throws OutboundTimeoutError at the deadline, or the abort reason of the caller's `signal` if that is aborted.
 */
export async function withDeadline<T>(
  target: string,
  { timeoutMs, signal }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const expired = Promise.withResolvers<never>();
  // This listener is added before `work` starts, so that it runs before the listeners that `work` adds. Otherwise the
  // caller could get the error of an aborted socket, which is less specific than the reason of the signal.
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
