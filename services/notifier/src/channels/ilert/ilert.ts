import type { ChannelKind } from '../../app/ports.ts';
import { type Incident, incidentOf, sendIncident } from '../../domain/incident.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { headlineOf, linesOf } from '../words.ts';

const MAX_SUMMARY = 255;
const MAX_VALUE = 1000;

export const REFUSALS: Refusals = {
  name: 'ilert',
  other: 'it does not know the key. Copy the one of an alert source of type API and PATCH config.api_key',
};

const ILERT = receiverOf(REFUSALS);

/** Opens and closes alerts for an alert source: https://api.ilert.com/api-docs/#tag/events */
export function ilert({ apiGuard, apiUrl }: Provider): ChannelKind {
  return {
    type: 'ilert',

    async check(config, errors) {
      checkTexts(config, { api_key: WORD }, errors);
    },

    async send(config, notice) {
      const key = String(config.api_key);
      return sendIncident(notice, (about, incident) =>
        post(apiGuard, jsonRequest(`${apiUrl}/api/events`, ilertEvent(about, key, incident)), ILERT),
      );
    },
  };
}

export function ilertEvent(
  notice: Notice,
  integrationKey: string,
  { key, isOver, isUrgent }: Incident = incidentOf(notice),
) {
  return {
    integrationKey,
    eventType: isOver ? 'RESOLVE' : 'ALERT',
    alertKey: key,
    summary: headlineOf(notice, MAX_SUMMARY),
    details: linesOf(notice, MAX_VALUE),
    priority: isUrgent ? 'HIGH' : 'LOW',
    links: [{ href: notice.outageLink, text: 'Details' }],
  };
}
