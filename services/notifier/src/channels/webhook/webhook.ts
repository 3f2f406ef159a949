import { placeholdersIn } from '@tocsin/enums';
import type { Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { post } from '../post.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { webhookHeaders } from './sign.ts';
import { BodyTooLongError, bodyFromTemplate, defaultBody } from './webhook-body.ts';
import { checkWebhookParts, readWebhookConfig } from './webhook-config.ts';

const CHECK_URL = 'Check that it takes alerts at this address, and PATCH config.url';

export const REFUSALS: Refusals = {
  name: 'the receiver',
  other: `it refuses alerts. ${CHECK_URL}`,
  byCode: {
    401: 'it requires other credentials. PATCH config.headers or config.url',
    403: 'it does not allow this request. PATCH config.headers or config.url',
    404: `there is nothing at this address. ${CHECK_URL}`,
    410: `it takes no alerts any more. ${CHECK_URL}`,
  },
};

/** Posts JSON to a URL that the tenant chose. */
export function webhook({ guard, now }: { guard: Netguard; now: () => Date }): ChannelKind {
  return {
    type: 'webhook',

    async check(config, errors) {
      await checkTargetUrl(config.url, { field: 'config.url', guard, errors });
      checkWebhookParts(config, errors);
    },

    wantsStatusPage(config) {
      const { payloadTemplate } = readWebhookConfig(config);
      return payloadTemplate !== undefined && placeholdersIn(payloadTemplate).includes('status_page_url');
    },

    async send(config, notice) {
      const { url, headers, payloadTemplate, signingSecret } = readWebhookConfig(config);
      const body = bodyOf(payloadTemplate, notice);
      if (body instanceof BodyTooLongError) return { kind: 'unable', error: body.message };
      const own = webhookHeaders({ id: notice.id, at: now(), body }, [signingSecret]);
      return post(
        guard,
        { url, headers: { 'content-type': 'application/json', ...headers, ...own }, body },
        receiverOf(REFUSALS),
      );
    },
  };
}

/** Returns the body of an alert, or an error if it would be too long. */
function bodyOf(template: string | undefined, notice: Notice): string | BodyTooLongError {
  if (template === undefined) return defaultBody(notice);
  try {
    return bodyFromTemplate(template, notice);
  } catch (error) {
    if (error instanceof BodyTooLongError) return error;
    throw error;
  }
}
