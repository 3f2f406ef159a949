import {
  BlockedAddressError,
  type FetchResponse,
  type Netguard,
  OutboundTimeoutError,
  wordsFor,
} from '@tocsin/netguard';
import type { Outcome } from '../domain/outcome.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';
import type { Receiver } from './refusals.ts';

const TIMEOUT_MS = 10_000;
/**
 * Time limit for connecting, which is a part of TIMEOUT_MS. With a short limit, a receiver that is down is detected
 * quickly, and slow receivers still have time to respond.
 */
const CONNECT_TIMEOUT_MS = 4_000;
/**
 * Time limit for reading the body of a response. A response with a status means that the message has arrived. The body
 * only helps to interpret the status.
 */
const BODY_TIMEOUT_MS = 2_000;
const MAX_ANSWER_BYTES = 8 * 1024;

/** Statuses that are not retried. */
const FINAL = new Set([401, 403, 404, 410]);

export interface PostRequest {
  readonly url: string;
  /** Defaults to POST. */
  readonly method?: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonRequest(url: string, body: object, headers: PostRequest['headers'] = {}): PostRequest {
  return {
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** Posts a message once and returns the outcome. Never throws. */
export async function post(
  guard: Netguard,
  { url, method = 'POST', headers, body }: PostRequest,
  receiver: Receiver,
): Promise<Outcome> {
  try {
    const options = {
      method,
      body,
      timeoutMs: TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      bodyTimeoutMs: BODY_TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      keepAlive: true,
    };
    const response = await guard.fetch(url, { ...options, headers: { 'user-agent': 'Tocsin', ...headers } });
    return receiver.interpret?.(response) ?? outcomeOfStatus(response, receiver);
  } catch (error) {
    if (error instanceof BlockedAddressError) return { kind: 'blocked', error: error.message };
    const timedOut = error instanceof OutboundTimeoutError && { timedOut: true as const };
    return { kind: 'failed', error: describe(error, url), httpStatus: undefined, ...timedOut };
  }
}

/**
 * Interprets a status. The error omits the text of the response, because the text may contain a secret from the
 * request.
 */
function outcomeOfStatus({ status, headers }: FetchResponse, { name, adviceOn }: Receiver): Outcome {
  const httpStatus = status;
  if (status >= 200 && status < 300) return { kind: 'delivered', httpStatus };
  const isFinal = FINAL.has(status);
  const isRedirect = status >= 300 && status < 400;
  const advice = isRedirect ? 'redirects are not followed' : adviceOn?.(status, isFinal);
  const error = `${name} returned ${status}${advice === undefined ? '' : `: ${advice}`}`;
  if (isFinal) return { kind: 'refused', error, httpStatus };
  return { kind: 'failed', error, httpStatus, retryAfterMs: parseRetryAfter(headers['retry-after'], new Date()) };
}

/** Describes a failed connection. Only the host and port of the URL are named, because the rest may be secret. */
function describe(error: unknown, url: string): string {
  const receiver = URL.parse(url);
  if (!receiver || error instanceof OutboundTimeoutError) return error instanceof Error ? error.message : String(error);
  const { hostname, port, protocol } = receiver;
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port) || (protocol === 'http:' ? 80 : 443), address: undefined };
  return wordsFor(error, target);
}
