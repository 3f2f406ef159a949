import type { FetchResponse } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { jsonRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { type Refusals, receiverOf, refusalBy } from '../refusals.ts';
import { EMOJI, headlineOf, isDown, linesOf, lookOf } from '../words.ts';

/** Pushover's limits are 250 characters in a title and 1024 in a message: https://pushover.net/api#limits */
const MAX_TITLE = 240;
const MAX_VALUE = 350;

export const REFUSALS: Refusals = {
  name: 'Pushover',
  other: 'it refuses this application. PATCH config.api_token',
  byCode: {
    api_token: 'it does not know api_token. Copy it again and PATCH config.api_token',
    user_key: 'it does not know user_key. Copy it again and PATCH config.user_key',
    'api_token and user_key': 'it does not know api_token and user_key. Copy both again and PATCH the config',
  },
};

/** Sends to the devices of a user or a group: https://pushover.net/api */
export function pushover({ apiGuard, apiUrl }: Provider): ChannelKind {
  return {
    type: 'pushover',

    async check(config, errors) {
      checkTexts(config, { user_key: WORD, api_token: WORD }, errors);
    },

    async send({ user_key: user, api_token: token }, notice) {
      const request = jsonRequest(`${apiUrl}/1/messages.json`, { token, user, ...pushoverMessage(notice) });
      return post(apiGuard, request, receiverOf(REFUSALS, outcomeOfPushover));
    },
  };
}

export function pushoverMessage(notice: Notice) {
  const { kind, at } = notice;
  return {
    title: `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_TITLE)}`,
    message: linesOf(notice, MAX_VALUE),
    timestamp: Math.floor(at.getTime() / 1000),
    // Priority 1 overrides the recipient's quiet hours.
    priority: isDown(kind) ? 1 : 0,
  };
}

/**
 * Interprets a response from Pushover. The body of a 400 response reports whether the user key, the token or both are
 * invalid. The body of a 429 response for an exhausted quota also reports the token as invalid, although it is valid.
 */
export function outcomeOfPushover(response: FetchResponse): Outcome | undefined {
  const { token, user, status } = readJsonResponse(response);
  if (response.status === 200 && status !== 1) {
    const error = 'Pushover responded with 200, but did not accept the message';
    return { kind: 'failed', error, httpStatus: response.status };
  }
  if (response.status !== 400) return undefined;
  const wrong = [token === 'invalid' && 'api_token', user === 'invalid' && 'user_key'].filter(Boolean);
  if (wrong.length === 0) return undefined;
  return refusalBy(REFUSALS, wrong.join(' and '), { httpStatus: 400, shown: '400' });
}
