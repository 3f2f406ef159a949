import type { Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import { type Incident, incidentOf, sendIncident } from '../../domain/incident.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { jsonRequest, post } from '../post.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { headlineOf, linesOf } from '../words.ts';

const MAX_TITLE = 500;
const MAX_VALUE = 1000;

export const REFUSALS: Refusals = {
  name: 'Grafana IRM',
  other: 'the integration was deleted. Create a new one and PATCH config.integration_url',
};

const GRAFANA = receiverOf(REFUSALS);

/**
 * Opens and closes alert groups through a Formatted Webhook:
 * https://grafana.com/docs/oncall/latest/integrations/webhook/
 */
export function grafanaIrm({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'grafana_irm',

    async check({ integration_url: url }, errors) {
      await checkTargetUrl(url, { field: 'config.integration_url', guard, errors });
    },

    send: (config, notice) =>
      sendIncident(notice, (about, incident) =>
        post(guard, jsonRequest(String(config.integration_url), grafanaAlert(about, incident)), GRAFANA),
      ),
  };
}

export function grafanaAlert(notice: Notice, { key, isOver }: Incident = incidentOf(notice)) {
  return {
    alert_uid: key,
    title: headlineOf(notice, MAX_TITLE),
    state: isOver ? 'ok' : 'alerting',
    message: linesOf(notice, MAX_VALUE),
    link_to_upstream_details: notice.outageLink,
  };
}
