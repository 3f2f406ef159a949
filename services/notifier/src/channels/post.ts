import { BlockedAddressError, type FetchAnswer, type Netguard } from '@tocsin/netguard';
import type { Outcome } from '../domain/outcome.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 8 * 1024;

/** Answers that no repetition will change (spec: Alert channels, delivery). */
const REFUSALS = new Set([401, 403, 404, 410]);

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts a message once and says how that ended; `judge` looks into an answer of 2xx. Never throws. */
export async function post(
  guard: Netguard,
  { url, headers, body }: PostRequest,
  judge: (answer: FetchAnswer) => Outcome = delivered,
): Promise<Outcome> {
  try {
    const options = { method: 'POST', body, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES };
    const answer = await guard.fetch(url, { ...options, headers: { 'user-agent': 'Tocsin', ...headers } });
    return answer.status >= 200 && answer.status < 300 ? judge(answer) : refusedOrFailed(answer);
  } catch (error) {
    if (error instanceof BlockedAddressError) return { kind: 'blocked', error: error.message };
    return { kind: 'failed', error: describe(error), httpStatus: undefined };
  }
}

function delivered({ status }: FetchAnswer): Outcome {
  return { kind: 'delivered', httpStatus: status };
}

/** The answer's own words are left out: a receiver may repeat a secret that it was sent. */
function refusedOrFailed({ status, headers }: FetchAnswer): Outcome {
  const httpStatus = status;
  if (REFUSALS.has(status)) return { kind: 'refused', error: `the receiver answered ${status}`, httpStatus };
  const hint = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const retryAfterMs = parseRetryAfter(headers['retry-after'], new Date());
  return { kind: 'failed', error: `the receiver answered ${status}${hint}`, httpStatus, retryAfterMs };
}

/** A sentence about a connection that failed. Several addresses that all failed come as one error without words. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}
