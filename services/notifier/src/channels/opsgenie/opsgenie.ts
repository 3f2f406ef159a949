import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import { type Incident, incidentOf, sendIncident } from '../../domain/incident.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, isPresent, textOf, WORD } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import type { Provider, UrlProvider } from '../provider.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { detailsOf, headlineOf, linesOf } from '../words.ts';

/**
 * Opsgenie's limits for a message and for a value in `details`, in characters:
 * https://docs.opsgenie.com/docs/alert-api#create-alert
 */
const MAX_MESSAGE = 130;
const MAX_VALUE = 1000;

const REGION = { pattern: /^(us|eu)$/, mustBe: '"us" or "eu"', optional: true } as const;

const INTEGRATION_KEY =
  'it accepts no alert with this key. Copy the key of an API integration that may create alerts, and PATCH config.api_key';

export const OPSGENIE_REFUSALS: Refusals = { name: 'Opsgenie', other: INTEGRATION_KEY };

export const JIRA_REFUSALS: Refusals = { name: 'Jira Service Management', other: INTEGRATION_KEY };

/**
 * Opens and closes alerts in Opsgenie, or in another server with the same API: https://docs.opsgenie.com/docs/alert-api
 */
export function opsgenie({
  guard,
  apiGuard,
  apiUrl,
  euApiUrl,
}: UrlProvider & { readonly euApiUrl: string }): ChannelKind {
  return {
    type: 'opsgenie',

    async check(config, errors) {
      if (isPresent(config.server_url))
        await checkTargetUrl(config.server_url, { field: 'config.server_url', guard, errors });
      checkTexts(config, { api_key: WORD, region: REGION }, errors);
    },

    async send(config, notice) {
      const server = textOf(config, 'server_url')?.replace(/\/+$/, '');
      const base = server ?? (config.region === 'eu' ? euApiUrl : apiUrl);
      return sendAlert(notice, {
        guard: server === undefined ? apiGuard : guard,
        url: `${base}/v2/alerts`,
        key: String(config.api_key),
        refusals: OPSGENIE_REFUSALS,
      });
    },
  };
}

/**
 * Opens and closes alerts in Jira Service Management. It has the same events API as Opsgenie:
 * https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v2/api-group-integration-events
 */
export function jiraServiceManagement({ apiGuard, apiUrl }: Provider): ChannelKind {
  return {
    type: 'jira_service_management',

    async check(config, errors) {
      checkTexts(config, { api_key: WORD }, errors);
    },

    send: (config, notice) =>
      sendAlert(notice, {
        guard: apiGuard,
        url: `${apiUrl}/jsm/ops/integration/v2/alerts`,
        key: String(config.api_key),
        refusals: JIRA_REFUSALS,
      }),
  };
}

function sendAlert(
  notice: Notice,
  { guard, url, key, refusals }: { guard: Netguard; url: string; key: string; refusals: Refusals },
): Promise<Outcome> {
  const receiver = receiverOf(refusals);
  const headers = { authorization: `GenieKey ${key}` };
  return sendIncident(notice, (about, incident) => {
    if (!incident.isOver) return post(guard, jsonRequest(url, opsgenieAlert(about, incident), headers), receiver);
    const close = `${url}/${encodeURIComponent(incident.key)}/close?identifierType=alias`;
    return post(guard, jsonRequest(close, { source: 'Tocsin' }, headers), { ...receiver, interpret: outcomeOfClose });
  });
}

export function opsgenieAlert(notice: Notice, { key, isUrgent }: Incident = incidentOf(notice)) {
  return {
    message: headlineOf(notice, MAX_MESSAGE),
    alias: key,
    description: linesOf(notice, MAX_VALUE),
    priority: isUrgent ? 'P1' : 'P3',
    source: 'Tocsin',
    details: Object.fromEntries(detailsOf(notice, MAX_VALUE).map(({ name, value }) => [name, value])),
  };
}

/** Interprets the response to a request that closes an alert. A nonexistent alert counts as closed. */
export function outcomeOfClose({ status }: FetchResponse): Outcome | undefined {
  return status === 404 ? { kind: 'delivered', httpStatus: status } : undefined;
}
