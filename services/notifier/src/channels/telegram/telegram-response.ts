import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../../domain/outcome.ts';
import { readJsonResponse } from '../json-response.ts';

/** Permanent errors about a chat in Telegram's 400 responses, with advice. */
const HOPELESS: readonly [RegExp, string][] = [
  [/chat not found/, 'there is no such chat, or the bot is no member of it: check chat_id'],
  [/upgraded to a supergroup/, 'the group became a supergroup, which has another id: change chat_id'],
  [/not enough rights|CHAT_WRITE_FORBIDDEN|need administrator rights/, 'the bot may not write there: let it'],
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
  const advice = httpStatus === 400 && HOPELESS.find(([words]) => words.test(String(description)))?.[1];
  if (advice) return { kind: 'refused', error: `Telegram returned 400; ${advice}`, httpStatus };
  if (httpStatus >= 300 || ok === true) return undefined;
  return { kind: 'failed', error: 'Telegram returned a response that is not understood', httpStatus };
}

function secondsIn(parameters: unknown): number {
  const { retry_after: seconds } = { ...(parameters as { retry_after?: unknown } | undefined) };
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}
