import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../../domain/outcome.ts';
import { readJsonResponse } from '../json-response.ts';
import { refusalBy } from '../refusals.ts';
import { REFUSALS } from './telegram-refusals.ts';

/** Permanent errors about a chat in Telegram's 400 responses, each with its key in REFUSALS. */
const HOPELESS: readonly [RegExp, string][] = [
  [/chat not found/, 'chat_not_found'],
  [/upgraded to a supergroup/, 'supergroup'],
  [/not enough rights|CHAT_WRITE_FORBIDDEN|need administrator rights/, 'no_rights'],
];

/**
 * Interprets a response by its body, which is more precise than the status:
 * https://core.telegram.org/bots/api#making-requests
 */
export function outcomeOfTelegram(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus } = response;
  const { ok, description, parameters } = readJsonResponse(response);
  if (httpStatus === 429) {
    const retryAfterMs = secondsIn(parameters) * 1000;
    return { kind: 'failed', error: 'Telegram returned 429', httpStatus, retryAfterMs };
  }
  const code = httpStatus === 400 && HOPELESS.find(([words]) => words.test(String(description)))?.[1];
  if (code) return refusalBy(REFUSALS, code, { httpStatus, shown: '400' });
  if (httpStatus >= 300 || ok === true) return undefined;
  return { kind: 'failed', error: 'Telegram returned a response that is not understood', httpStatus };
}

function secondsIn(parameters: unknown): number {
  const { retry_after: seconds } = { ...(parameters as { retry_after?: unknown } | undefined) };
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}
