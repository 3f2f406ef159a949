import type { ChannelType } from '@tocsin/enums';
import type { Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../app/ports.ts';
import { apprise } from './apprise/apprise.ts';
import { discord } from './discord/discord.ts';
import { googleChat } from './google-chat/google-chat.ts';
import { grafanaIrm } from './grafana-irm/grafana-irm.ts';
import { ilert } from './ilert/ilert.ts';
import { incidentIo } from './incident-io/incident-io.ts';
import { matrix } from './matrix/matrix.ts';
import { mattermost } from './mattermost/mattermost.ts';
import { ntfy } from './ntfy/ntfy.ts';
import { jiraServiceManagement, opsgenie } from './opsgenie/opsgenie.ts';
import { pagerduty } from './pagerduty/pagerduty.ts';
import { pushover } from './pushover/pushover.ts';
import { slack } from './slack/slack.ts';
import { sms } from './sms/sms.ts';
import { sns } from './sns/sns.ts';
import { teams } from './teams/teams.ts';
import { telegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';
import { zulip } from './zulip/zulip.ts';

/** Base URLs of providers' APIs. An operator can change these URLs, but a tenant cannot. */
export interface ApiUrls {
  readonly slack: string;
  readonly discord: string;
  readonly pagerduty: string;
  readonly pagerdutyEu: string;
  readonly telegram: string;
  readonly pushover: string;
  readonly ilert: string;
  readonly incidentIo: string;
  readonly twilio: string;
  readonly googleChat: string;
  readonly opsgenie: string;
  readonly opsgenieEu: string;
  readonly atlassian: string;
  /** Base URL of Amazon SNS. If empty, the address of each topic's region is used. */
  readonly sns: string;
}

/** Returns the kinds of channels that receive alerts as HTTP requests. */
export function postedKinds({
  guard,
  apiGuard,
  apiUrls,
  now,
}: {
  guard: Netguard;
  /** Guards connections to the addresses in `apiUrls`. */
  apiGuard: Netguard;
  apiUrls: ApiUrls;
  now: () => Date;
}): Record<Exclude<ChannelType, 'email'>, ChannelKind> {
  const at = (apiUrl: string) => ({ guard, apiGuard, apiUrl });
  return {
    webhook: webhook({ guard, now }),
    slack: slack(at(apiUrls.slack)),
    discord: discord(at(apiUrls.discord)),
    pagerduty: pagerduty({ ...at(apiUrls.pagerduty), euApiUrl: apiUrls.pagerdutyEu }),
    teams: teams({ guard }),
    mattermost: mattermost({ guard }),
    telegram: telegram(at(apiUrls.telegram)),
    ntfy: ntfy({ guard }),
    pushover: pushover(at(apiUrls.pushover)),
    ilert: ilert(at(apiUrls.ilert)),
    incident_io: incidentIo(at(apiUrls.incidentIo)),
    grafana_irm: grafanaIrm({ guard }),
    sms: sms(at(apiUrls.twilio)),
    google_chat: googleChat(at(apiUrls.googleChat)),
    matrix: matrix({ guard }),
    zulip: zulip({ guard }),
    opsgenie: opsgenie({ ...at(apiUrls.opsgenie), euApiUrl: apiUrls.opsgenieEu }),
    jira_service_management: jiraServiceManagement(at(apiUrls.atlassian)),
    sns: sns(at(apiUrls.sns), now),
    apprise: apprise({ guard }),
  };
}
