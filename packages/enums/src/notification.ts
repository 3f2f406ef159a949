import { RecipientStatus as RecipientStatusEnum } from '@tocsin/proto/notifier/v1/channel';
import { DeliveryStatus as DeliveryStatusEnum } from '@tocsin/proto/notifier/v1/delivery';
import { enumTable, type NamesOf } from './enum-table.ts';

/** Types of alert channels, with their display names. */
export const CHANNEL_NAMES = {
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
} as const;
export type ChannelType = keyof typeof CHANNEL_NAMES;
export const CHANNEL_TYPES = Object.keys(CHANNEL_NAMES) as readonly ChannelType[];

/** Kinds of alerts that a monitor's link to a channel can select. */
export const ALERT_EVENTS = ['monitor_down', 'monitor_recovered', 'monitor_stale', 'cert_expiring'] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** Bounds of the numeric settings of an alert channel, by their names in the API. */
export const CHANNEL_SETTINGS = {
  reminder_minutes: { minimum: 5, maximum: 1_440 },
  max_messages_per_hour: { minimum: 1, maximum: 1_000 },
} as const;

/** Events that a webhook subscription can receive. */
export const EVENT_KINDS = [
  'monitor.created',
  'monitor.updated',
  'monitor.deleted',
  'monitor.state_changed',
  'disruption.created',
  'disruption.updated',
  'disruption.resolved',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const deliveryStatuses = enumTable(DeliveryStatusEnum, 'pending');
export type DeliveryStatus = NamesOf<typeof DeliveryStatusEnum>;

/** Statuses of a channel's mail recipient. The status decides whether the recipient gets emails. */
export const recipientStatuses = enumTable(RecipientStatusEnum, 'pending');
export type RecipientStatus = NamesOf<typeof RecipientStatusEnum>;
