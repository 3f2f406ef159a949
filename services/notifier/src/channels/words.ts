import { spellDuration } from '@tocsin/text';
import type { AlertKind } from '../domain/alert.ts';
import { formatTime, type Notice } from '../domain/notice.ts';
import type { Change } from '../domain/storm.ts';

/** A detail of an alert. */
export interface Detail {
  readonly name: string;
  readonly value: string;
}

export const EMOJI: Record<AlertKind, string> = {
  monitor_down: '🔴',
  monitor_recovered: '🟢',
  monitor_stale: '⚪',
  cert_expiring: '🟠',
  test: '🔔',
  incident_closed: '⚪',
  channel_broken: '🔌',
  channel_healed: '🟢',
  monitors_changed: '🟠',
  monitor_still_down: '🔴',
  monitor_flapping: '🟠',
};

/** Colors as `#RRGGBB`. */
export const COLOR: Record<AlertKind, string> = {
  monitor_down: '#D92D20',
  monitor_recovered: '#12B76A',
  monitor_stale: '#98A2B3',
  cert_expiring: '#F79009',
  test: '#2E90FA',
  incident_closed: '#98A2B3',
  channel_broken: '#F79009',
  channel_healed: '#12B76A',
  monitors_changed: '#F79009',
  monitor_still_down: '#D92D20',
  monitor_flapping: '#F79009',
};

/**
 * Returns the kind of alert whose color and picture a message has. A message that lists only outages, or only
 * recoveries, looks like an alert about one such change.
 */
export function lookOf({ kind, changes = [] }: Pick<Notice, 'kind' | 'changes'>): AlertKind {
  const [first, ...others] = changes.map((change) => change.kind);
  const isClear = first === 'monitor_down' || first === 'monitor_recovered';
  return kind === 'monitors_changed' && isClear && others.every((other) => other === first) ? first : kind;
}

/** Whether an alert says that a monitor is down. */
export function isDown(kind: AlertKind): boolean {
  return kind === 'monitor_down' || kind === 'monitor_still_down';
}

/**
 * Returns a headline such as "Shop is down" of at most `max` UTF-16 code units. The name is shortened if necessary, but
 * the state is always complete. A message about several monitors has a headline such as "5 down: Shop, Till and 3
 * more". It names at most `maxNames` monitors, or all monitors if there is only one more than that.
 */
export function headlineOf(notice: Notice, max: number, maxNames = 2): string {
  const late = notice.late ? ' (sent late)' : '';
  const { kind, changes = [] } = notice;
  if (kind === 'monitors_changed' && changes.length > 1) {
    const counts = groupsOf(changes).map(({ state, names, alerted }) => `${names.length + alerted.length} ${state}`);
    const start = `${counts.join(', ')}: `;
    return `${cut(`${start}${firstNames(changes, max - start.length - late.length, maxNames)}`, max - late.length)}${late}`;
  }
  const state = `${stateOf(notice)}${late}`;
  return `${cut(notice.monitor.name, max - state.length - 1)} ${state}`;
}

function stateOf({ kind, certificate, changes = [] }: Notice): string {
  switch (kind) {
    case 'monitor_down':
      return 'is down';
    case 'monitor_recovered':
      return 'is up again';
    case 'monitor_stale':
      return 'has no recent data';
    case 'cert_expiring':
      return `has a certificate that ${endOf(certificate?.daysRemaining)}`;
    case 'test':
      return 'came through';
    case 'incident_closed':
      return 'needs no attention any more';
    case 'channel_broken':
      return 'is broken';
    case 'channel_healed':
      return 'is enabled again';
    case 'monitors_changed':
      return `changed ${changes[0]?.count ?? 1} times and ${lastStateOf(changes)}`;
    case 'monitor_still_down':
      return 'is still down';
    case 'monitor_flapping':
      return 'goes up and down';
    default:
      return kind satisfies never;
  }
}

function lastStateOf(changes: readonly Change[]): string {
  const [state] = groupsOf(changes).map((group) => group.state);
  return `is ${state}`;
}

function endOf(days: number | undefined): string {
  if (days === undefined) return 'expires soon';
  if (days < 0) return 'has expired';
  return days === 0 ? 'expires today' : `expires in ${days} ${days === 1 ? 'day' : 'days'}`;
}

/**
 * Returns the details of an alert, most important first. Each value from a tenant is cut to `maxValue` UTF-16 code
 * units.
 */
export function detailsOf(notice: Notice, maxValue: number, format: (at: Date) => string = formatTime): Detail[] {
  const { kind, monitor, at, error, downtimeMs, certificate } = notice;
  const details: Detail[] = [];
  if (error !== '')
    details.push({
      name: isDown(kind) || kind === 'channel_broken' ? 'Error' : 'Last error',
      value: cut(error, maxValue),
    });
  const groups = groupsOf(notice.changes ?? []);
  // Limit all groups together to the length of two values, because other alerts have at most two long values: the error
  // and the address.
  const maxNames = Math.min(maxValue, Math.floor((2 * maxValue) / groups.length));
  for (const group of groups) details.push({ name: group.title, value: listGroup(group, maxNames) });
  if (kind === 'monitor_flapping') details.push({ name: 'Alerts', value: FLAPPING });
  if (certificate) details.push({ name: 'Certificate expires', value: format(certificate.expiresAt) });
  if (kind === 'monitor_still_down' && downtimeMs !== undefined)
    details.push({ name: 'Down for', value: `${spellDuration(downtimeMs)}, since ${format(at)}` });
  else if (downtimeMs !== undefined)
    details.push({ name: 'Was down for', value: `${spellDuration(downtimeMs)}, until ${format(at)}` });
  else if (kind !== 'cert_expiring' && kind !== 'test') details.push({ name: 'Since', value: format(at) });
  if (notice.late) details.push({ name: 'Sent late', value: 'it was held back or could not be delivered before' });
  const limit = limitTextOf(notice, format);
  if (limit !== undefined) details.push({ name: 'Limit reached', value: limit });
  if (monitor.url !== '') details.push({ name: 'Checks', value: cut(monitor.url, maxValue) });
  return details;
}

export const FLAPPING =
  'it changed too often in the last 15 minutes; further changes are held back until that is over, and then summed up';

/**
 * Returns the note that further alerts are held back; undefined if the message is not the last one within the channel's
 * limit.
 */
export function limitTextOf({ heldBackUntil }: Notice, format: (at: Date) => string = formatTime): string | undefined {
  return (
    heldBackUntil && `further alerts are held back until ${format(heldBackUntil)}, and then summed up in one message`
  );
}

/** Returns the details as lines of plain text, with a link to the outage's page. */
export function linesOf(notice: Notice, maxValue: number): string {
  const lines = detailsOf(notice, maxValue).map(({ name, value }) => `${name}: ${value}`);
  return [...lines, `Details: ${notice.outageLink}`].join('\n');
}

const GROUPS = [
  { kind: 'monitor_down', state: 'down', title: 'Down' },
  { kind: 'monitor_stale', state: 'without recent data', title: 'No recent data' },
  { kind: 'monitor_recovered', state: 'up again', title: 'Up again' },
  { kind: 'cert_expiring', state: 'with an expiring certificate', title: 'Certificate expires' },
  { kind: 'channel_broken', state: 'broken', title: 'Broken' },
  { kind: 'channel_healed', state: 'enabled again', title: 'Enabled again' },
] as const;

/**
 * Groups the names of changed monitors by their new state. Monitors whose alerts were already sent are listed
 * separately in `alerted`.
 */
export function groupsOf(changes: readonly Change[]) {
  return GROUPS.map(({ kind, ...words }) => {
    const ofKind = changes.filter((change) => change.kind === kind);
    return {
      ...words,
      names: ofKind.filter(({ isAlerted }) => !isAlerted).map(nameOf),
      alerted: ofKind.filter(({ isAlerted }) => isAlerted).map(nameOf),
    };
  }).filter(({ names, alerted }) => names.length + alerted.length > 0);
}

function nameOf({ name, count }: Change): string {
  return count === undefined ? name : `${name} (${count} changes)`;
}

/**
 * Lists the monitors of a group whose alerts were not sent yet, followed by the number of monitors whose alerts were
 * already sent.
 */
export function listGroup({ names, alerted }: ReturnType<typeof groupsOf>[number], max: number): string {
  if (alerted.length === 0) return listNames(names, max);
  const others = `${alerted.length} already alerted`;
  if (names.length === 0) return cut(others, max);
  return cut(`${listNames(names, max - others.length - 5)} and ${others}`, max);
}

/** Lists the names of changed monitors for a headline, starting with the monitors whose alerts were not sent yet. */
function firstNames(changes: readonly Change[], max: number, maxNames: number): string {
  const groups = groupsOf(changes);
  const names = [...groups.flatMap((group) => group.names), ...groups.flatMap(({ alerted }) => alerted)];
  return listNames(names, max, names.length === maxNames + 1 ? names.length : maxNames);
}

/** Lists at most `maxNames` names that fit into `max` UTF-16 code units, followed by the number of omitted names. */
export function listNames(names: readonly string[], max: number, maxNames = names.length): string {
  const all = names.join(', ');
  if (all.length <= max && names.length <= maxNames) return all;
  let text = '';
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? name : `${text}, ${name}`;
    if (index >= maxNames || longer.length + ` and ${names.length - index - 1} more`.length > max) {
      return cut(index === 0 ? `${names.length} monitors` : `${text} and ${names.length - index} more`, max);
    }
    text = longer;
  }
  return text;
}

/** Escapes text for the Markdown that Discord, Mattermost and Teams use. The result is at most twice as long. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|<>#[\]]/g, '\\$&');
}

/** Returns Markdown that shows a text literally, or as a link if it is a URL. */
export function markdownOf(text: string): string {
  return /^https?:\/\/[^\s<>]*[^\s<>…]$/.test(text) ? `<${text}>` : escapeMarkdown(text);
}

/** Cuts text to at most `max` UTF-16 code units, without splitting a surrogate pair. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
