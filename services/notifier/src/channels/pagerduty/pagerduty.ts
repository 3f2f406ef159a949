import type { FetchResponse } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import { sendIncident } from '../../domain/incident.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTexts } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { type Refusals, receiverOf, refusalBy } from '../refusals.ts';
import { pagerdutyEvent } from './pagerduty-event.ts';

/** Format of an integration key. Orchestration keys begin with R; the others are service keys. */
const INTEGRATION_KEY = { pattern: /^[0-9A-Za-z]{32}$/, mustBe: '32 letters and digits' };
const REGION = { pattern: /^(us|eu)$/, mustBe: '"us" or "eu"', optional: true } as const;

export const REFUSALS: Refusals = {
  name: 'PagerDuty',
  other: 'it refuses this key. PATCH config.integration_key',
  byCode: {
    invalid_key: 'it does not know the key. Copy it from an Events API v2 integration and PATCH config.integration_key',
  },
};

/** Opens and closes incidents through the Events API v2: https://developer.pagerduty.com/docs/events-api-v2-overview */
export function pagerduty({ apiGuard, apiUrl, euApiUrl }: Provider & { readonly euApiUrl: string }): ChannelKind {
  return {
    type: 'pagerduty',

    async check(config, errors) {
      checkTexts(config, { integration_key: INTEGRATION_KEY, region: REGION }, errors);
    },

    async send(config, notice) {
      const url = `${config.region === 'eu' ? euApiUrl : apiUrl}/v2/enqueue`;
      const key = String(config.integration_key);
      return sendIncident(notice, (about, incident) =>
        post(
          apiGuard,
          jsonRequest(url, pagerdutyEvent(about, key, incident)),
          receiverOf(REFUSALS, outcomeOfPagerduty),
        ),
      );
    },
  };
}

/**
 * Detects PagerDuty's response to an unknown key. The response to a malformed event also has the status 400, so only
 * the text distinguishes the two.
 */
export function outcomeOfPagerduty({ status, body }: FetchResponse): Outcome | undefined {
  if (status !== 400 || !/routing[ _]?key/i.test(body)) return undefined;
  return refusalBy(REFUSALS, 'invalid_key', { httpStatus: status, shown: '400' });
}
