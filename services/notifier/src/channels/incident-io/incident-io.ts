import type { ChannelKind } from '../../app/ports.ts';
import { type Incident, incidentOf, sendIncident } from '../../domain/incident.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkProviderUrl } from '../check-target-url.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import { targetOf, type UrlProvider } from '../provider.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { detailsOf, headlineOf, markdownOf } from '../words.ts';

const HOSTS = ['api.incident.io'];
const MAX_TITLE = 500;
const MAX_VALUE = 1000;

export const REFUSALS: Refusals = {
  name: 'incident.io',
  other: 'the token is wrong. Copy the one of the alert source and PATCH config.api_token',
  byCode: { 404: 'the alert source was deleted. Create a new one and PATCH config.alert_source_url' },
};

const INCIDENT_IO = receiverOf(REFUSALS);

/** Opens and closes alerts for an HTTP source: https://docs.incident.io/api-reference/alert-events-v2/createhttp */
export function incidentIo(provider: UrlProvider): ChannelKind {
  const { guard } = provider;
  return {
    type: 'incident_io',

    async check(config, errors) {
      const field = 'config.alert_source_url';
      await checkProviderUrl(config.alert_source_url, { hosts: HOSTS, field, guard, errors });
      checkTexts(config, { api_token: WORD }, errors);
    },

    async send(config, notice) {
      const target = targetOf(String(config.alert_source_url), HOSTS, provider);
      const authorization = `Bearer ${config.api_token}`;
      return sendIncident(notice, (about, incident) => {
        const request = jsonRequest(target.url.href, incidentIoEvent(about, incident), { authorization });
        return post(target.guard, request, INCIDENT_IO);
      });
    },
  };
}

export function incidentIoEvent(notice: Notice, { key, isOver }: Incident = incidentOf(notice)) {
  const { kind, monitor, outageLink } = notice;
  return {
    title: headlineOf(notice, MAX_TITLE),
    description: detailsOf(notice, MAX_VALUE)
      .map(({ name, value }) => `- ${name}: ${markdownOf(value)}`)
      .join('\n'),
    status: isOver ? 'resolved' : 'firing',
    deduplication_key: key,
    source_url: outageLink,
    metadata: { event: kind, monitor_id: monitor.id, monitor_name: monitor.name },
  };
}
