import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, LABEL, textOf } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { jsonRequest, post } from '../post.ts';
import { DELETED_WEBHOOK, NEW_WEBHOOK, type Refusals, receiverOf, refusalBy } from '../refusals.ts';
import { mattermostMessage } from './mattermost-message.ts';

export const REFUSALS: Refusals = {
  name: 'Mattermost',
  other: `it refuses this webhook. ${NEW_WEBHOOK}`,
  byCode: {
    invalid_webhook: DELETED_WEBHOOK,
    403: 'the webhook is locked to its own channel. PATCH the config without channel',
    404: 'there is no such channel. PATCH config.webhook_url or config.channel',
    501: 'incoming webhooks are disabled on that server. Enable them, and test the channel',
  },
};

const MATTERMOST = receiverOf(REFUSALS, outcomeOfMattermost);

/** Posts to a Mattermost channel: https://developers.mattermost.com/integrate/webhooks/incoming */
export function mattermost({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'mattermost',

    async check(config, errors) {
      await checkTargetUrl(config.webhook_url, { field: 'config.webhook_url', guard, errors });
      checkTexts(config, { channel: LABEL, username: LABEL }, errors);
    },

    async send(config, notice) {
      const [channel, username] = [textOf(config, 'channel'), textOf(config, 'username')];
      const message = mattermostMessage(notice, { ...(channel && { channel }), ...(username && { username }) });
      return post(guard, jsonRequest(String(config.webhook_url), message), MATTERMOST);
    },
  };
}

/**
 * Interprets a response from Mattermost. A 200 is a success only if it contains `ok`. The status for a nonexistent
 * webhook is 400 instead of 404.
 */
export function outcomeOfMattermost(response: FetchResponse): Outcome | undefined {
  if (response.status === 200 && response.body.trim() !== 'ok') {
    const error = 'Mattermost responded with 200, but not with "ok": is webhook_url a webhook?';
    return { kind: 'failed', error, httpStatus: response.status };
  }
  if (response.status !== 400 || readJsonResponse(response).id !== 'web.incoming_webhook.invalid.app_error')
    return undefined;
  return refusalBy(REFUSALS, 'invalid_webhook', { httpStatus: 400, shown: '400' });
}
