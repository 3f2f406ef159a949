import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { jsonRequest, post } from '../post.ts';
import { NEW_WEBHOOK, type Refusals, receiverOf } from '../refusals.ts';
import { teamsCard } from './teams-card.ts';

export const REFUSALS: Refusals = {
  name: 'Teams',
  other: 'it refuses this webhook. Create a new workflow and PATCH config.webhook_url',
  byCode: {
    401: 'not everyone may trigger the workflow. Allow it, copy its URL again, and PATCH config.webhook_url',
    403: 'the workflow or connector is switched off. Switch it on, and test the channel',
    404: `the workflow or connector was deleted. ${NEW_WEBHOOK}`,
  },
};

const TEAMS = receiverOf(REFUSALS, outcomeOfFailedDelivery);

/** Posts to a Teams channel through a workflow ("When a Teams webhook request is received") or a connector. */
export function teams({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'teams',

    async check({ webhook_url: webhookUrl }, errors) {
      await checkTargetUrl(webhookUrl, { field: 'config.webhook_url', guard, errors });
    },

    send: (config, notice) => {
      const url = String(config.webhook_url);
      const receiver = isConnector(url) ? { ...TEAMS, interpret: outcomeOfConnector } : TEAMS;
      return post(guard, jsonRequest(url, teamsCard(notice)), receiver);
    },
  };
}

function isConnector(url: string): boolean {
  return URL.parse(url)?.hostname.endsWith('.webhook.office.com') ?? false;
}

/**
 * Returns an error for a 200 whose body is not `1`. A connector can respond with 200 without posting the message.
 */
export function outcomeOfConnector(response: FetchResponse): Outcome | undefined {
  const { status, body } = response;
  if (status !== 200 || body.trim() === '1') return undefined;
  const error = 'Teams responded with 200, but the connector did not post the message';
  return outcomeOfFailedDelivery(response) ?? { kind: 'failed', error, httpStatus: status };
}

/** Returns an error for a 200 whose body says that Teams refused the message. */
export function outcomeOfFailedDelivery({ status, body }: FetchResponse): Outcome | undefined {
  if (status !== 200 || !body.startsWith('Webhook message delivery failed')) return undefined;
  const inner = Number(/HTTP error (\d{3})/.exec(body)?.[1]) || status;
  return { kind: 'failed', error: `Teams returned 200, but the connector failed with ${inner}`, httpStatus: inner };
}
