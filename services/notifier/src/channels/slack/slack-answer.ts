import type { FetchAnswer } from '@tocsin/netguard';
import type { Outcome } from '../../domain/outcome.ts';

/** Errors of chat.postMessage that no repetition will change: https://docs.slack.dev/reference/methods/chat.postMessage */
const FINAL = new Set([
  'access_denied',
  'account_inactive',
  'channel_not_found',
  'invalid_auth',
  'is_archived',
  'missing_scope',
  'no_permission',
  'not_authed',
  'not_in_channel',
  'org_login_required',
  'restricted_action',
  'team_access_not_granted',
  'token_expired',
  'token_revoked',
]);

/** Slack's API answers 200 whatever happened; the body says whether it did. */
export function judgeApiAnswer({ status, body }: FetchAnswer): Outcome {
  const { ok, error } = parse(body);
  if (ok === true) return { kind: 'delivered', httpStatus: status };
  // A code is a word; anything else is not repeated.
  const code = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : 'something that is not understood';
  return { kind: FINAL.has(code) ? 'refused' : 'failed', error: `Slack answered with ${code}`, httpStatus: status };
}

function parse(body: string): { ok?: unknown; error?: unknown } {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}
