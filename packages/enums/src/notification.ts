import { RecipientStatus as RecipientStatusEnum } from '@tocsin/proto/notifier/v1/channel';
import { DeliveryStatus as DeliveryStatusEnum } from '@tocsin/proto/notifier/v1/delivery';
import { enumTable, type NamesOf } from './enum-table.ts';

/** Types of alert channels. */
export const CHANNEL_TYPES = [
  'webhook',
  'slack',
  'discord',
  'email',
  'pagerduty',
  'teams',
  'mattermost',
  'telegram',
  'ntfy',
  'pushover',
  'ilert',
  'incident_io',
  'grafana_irm',
  'sms',
  'google_chat',
  'matrix',
  'zulip',
  'opsgenie',
  'jira_service_management',
  'sns',
  'apprise',
] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

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
