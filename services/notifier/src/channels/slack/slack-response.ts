import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../../domain/outcome.ts';
import { readJsonResponse } from '../json-response.ts';

const NEW_TOKEN = 'install the app again and set its bot_token';
const RIGHTS = 'let the app post there';

/** Permanent errors of chat.postMessage, with advice: https://docs.slack.dev/reference/methods/chat.postMessage */
const FINAL = new Map([
  ['access_denied', RIGHTS],
  ['account_inactive', NEW_TOKEN],
  ['channel_not_found', 'check channel_id, and invite the bot if the channel is private'],
  ['invalid_auth', 'check bot_token'],
  ['is_archived', 'choose another channel_id'],
  ['missing_scope', 'give the app the scope chat:write'],
  ['no_permission', RIGHTS],
  ['not_authed', 'check bot_token'],
  ['not_in_channel', 'invite the bot to the channel'],
  ['org_login_required', NEW_TOKEN],
  ['restricted_action', RIGHTS],
  ['team_access_not_granted', NEW_TOKEN],
  ['token_expired', NEW_TOKEN],
  ['token_revoked', NEW_TOKEN],
]);

/**
 * Interprets a response of Slack's API. A failed call also gets a 200, and only the body shows whether the call
 * succeeded. HTTP errors are handled by status.
 */
export function outcomeOfSlackApi(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus } = response;
  const { ok, error } = readJsonResponse(response);
  if (httpStatus >= 300 || ok === true) return undefined;
  // Show only an error code, which is a single word, and no other text.
  const code = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : 'something that is not understood';
  const advice = FINAL.get(code);
  if (advice === undefined) return { kind: 'failed', error: `Slack returned ${code}`, httpStatus };
  return { kind: 'refused', error: `Slack returned ${code}; ${advice}`, httpStatus };
}

/** Interprets a response of a webhook. A 200 may contain an error code, so only `ok` is a success. */
export function outcomeOfSlackWebhook({ status: httpStatus, body }: FetchResponse): Outcome | undefined {
  const text = body.trim();
  if (httpStatus !== 200 || text === 'ok') return undefined;
  if (!/^[a-z_]{1,64}$/.test(text)) {
    return {
      kind: 'failed',
      error: 'Slack responded with 200, but not with "ok": is webhook_url a webhook?',
      httpStatus,
    };
  }
  const error = `Slack responded with ${text}; create a new webhook and set webhook_url`;
  return { kind: FINAL_OF_WEBHOOK.has(text) ? 'refused' : 'failed', error, httpStatus };
}

/**
 * Permanent error codes of webhooks:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
const FINAL_OF_WEBHOOK = new Set([
  'action_prohibited',
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_service_id',
  'no_team',
  'posting_to_general_channel_denied',
  'team_disabled',
  'user_not_found',
]);
