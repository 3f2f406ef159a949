import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, LABEL, textOf } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { jsonRequest, post, type Receiver } from '../post.ts';
import { mattermostMessage } from './mattermost-message.ts';

const MATTERMOST: Receiver = {
  name: 'Mattermost',
  advice: {
    403: 'the webhook is locked to its own channel: leave channel out',
    404: 'there is no such channel: check webhook_url and channel',
    501: 'incoming webhooks are disabled on that server',
  },
  interpret: outcomeOfMattermost,
};

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
 * Interprets a response of Mattermost. A 200 is a success only if it contains `ok`. The status for a nonexistent
 * webhook is 400 instead of 404.
 */
export function outcomeOfMattermost(response: FetchResponse): Outcome | undefined {
  if (response.status === 200 && response.body.trim() !== 'ok') {
    const error = 'Mattermost responded with 200, but not with "ok": is webhook_url a webhook?';
    return { kind: 'failed', error, httpStatus: response.status };
  }
  if (response.status !== 400 || readJsonResponse(response).id !== 'web.incoming_webhook.invalid.app_error')
    return undefined;
  const error = 'Mattermost returned 400; the webhook was deleted: create a new one and set webhook_url';
  return { kind: 'refused', error, httpStatus: response.status };
}
