export {
  type AutomaticText,
  automaticTexts,
  type DisruptionImpact,
  type DisruptionStatus,
  type DisruptionType,
  disruptionImpacts,
  disruptionStatuses,
  disruptionTypes,
  MAX_ENTERED_BYTES,
  MAX_TIMELINE_BYTES,
  MAX_UPDATES,
} from './disruption.ts';
export { type EnumTable, enumTable, type NamesOf } from './enum-table.ts';
export {
  DEFAULT_LIMITS,
  isLimitName,
  LIMIT_NAMES,
  type LimitName,
  type Limits,
  MAX_LIMIT,
  toLimits,
} from './limits.ts';
export {
  type CheckOutcome,
  type CheckType,
  checkOutcomes,
  checkTypes,
  DNS_RECORD_TYPES,
  type DnsRecordType,
  type HeartbeatSignal,
  heartbeatSignals,
  LENGTH_HEADERS,
  type MonitorState,
  monitorStates,
  type TransitionRuleName,
  transitionRules,
} from './monitor.ts';
export {
  AFTER_MINUTES,
  hasSetting,
  MAX_CHANNELS_OF_MONITOR,
  MONITOR_SETTINGS,
  type MonitorNumbers,
  type MonitorSettingName,
  mayHaveSecrets,
  monitorSettingNames,
} from './monitor-settings.ts';
export {
  ALERT_EVENTS,
  type AlertEvent,
  CHANNEL_NAMES,
  CHANNEL_SETTINGS,
  CHANNEL_TYPES,
  type ChannelType,
  type DeliveryStatus,
  deliveryStatuses,
  EVENT_KINDS,
  type EventKind,
  type RecipientStatus,
  recipientStatuses,
} from './notification.ts';
export { ALL_PERMISSIONS, grants, PERMISSION_TEXTS, PERMISSIONS, type Permission } from './permission.ts';
export {
  type ComponentStatus,
  componentStatuses,
  type DomainStatus,
  domainStatuses,
  type Locale,
  locales,
  severityOf,
  shownStatuses,
  type Theme,
  themes,
} from './status-page.ts';
export { fillPlaceholders, placeholdersIn, TEMPLATE_VARIABLES, type TemplateVariable } from './template.ts';
