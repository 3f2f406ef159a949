import type { ChannelType } from '@tocsin/enums';

/** Display names of the types of alert channels. */
export const CHANNEL_NAMES: Readonly<Record<ChannelType, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  email: 'Mail',
  pagerduty: 'PagerDuty',
  teams: 'Microsoft Teams',
  mattermost: 'Mattermost',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  pushover: 'Pushover',
  ilert: 'ilert',
  incident_io: 'incident.io',
  grafana_irm: 'Grafana IRM',
  sms: 'SMS',
  google_chat: 'Google Chat',
  matrix: 'Matrix',
  zulip: 'Zulip',
  opsgenie: 'Opsgenie',
  jira_service_management: 'Jira',
  sns: 'Amazon SNS',
  apprise: 'Apprise',
};
