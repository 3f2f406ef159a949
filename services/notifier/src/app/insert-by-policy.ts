import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { type Alert, flappingAlert } from '../domain/alert.ts';
import { HELD } from '../domain/held.ts';
import { decideFate, type Fate, type Hold, textOfHold } from '../domain/hold-back.ts';
import { isPager } from '../domain/incident.ts';
import type { MessageHour } from '../domain/message-limit.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { insertAlert } from '../storage/alert-store.ts';
import type { AlertedChannel } from '../storage/channel-store.ts';
import { findHolds, type Holds, holdBack, lockHours, lockHoursOfHealthy, saveHours } from '../storage/hold-store.ts';
import { insertDeliveries, type NewDelivery } from '../storage/insert-deliveries.ts';
import type { Flapping } from './find-flapping.ts';
import type { Deps } from './ports.ts';

type PolicyDeps = Pick<Deps, 'now' | 'maxMessagesPerHour'>;

/** What decides whether a channel holds back an alert about a monitor. */
interface PolicyRead {
  /** Channels without an entry have no limit, or were not read. */
  readonly hours: ReadonlyMap<string, MessageHour>;
  readonly holds: Holds;
}

interface AlertToInsert {
  readonly alert: Alert;
  readonly channels: readonly AlertedChannel[];
  readonly stormId?: string | undefined;
  /** Set if the monitor is flapping and the alert is about its latest change. */
  readonly flapping?: Flapping | undefined;
  /** Result of readPolicy(), which is read again if it is absent or lacks a channel. */
  readonly read?: PolicyRead;
}

interface Decision {
  readonly channel: AlertedChannel;
  readonly fate: Fate;
}

/**
 * Reads what insertByPolicy() needs to know about channels, of which some may not get the alert. The caller sends its
 * statements together with those that find the channels.
 */
export async function readPolicy(
  { now }: PolicyDeps,
  tx: Transaction,
  { organizationId, monitor }: Pick<Alert, 'organizationId' | 'monitor'>,
  channelIds: readonly string[],
): Promise<PolicyRead> {
  const [hours, holds] = await Promise.all([
    lockHoursOfHealthy(tx, { organizationId, now: now() }, channelIds),
    findHolds(tx, channelIds, monitor.id),
  ]);
  return { hours, holds };
}

/**
 * Inserts the deliveries of an alert to channels. A delivery is due immediately, unless its channel is broken or the
 * alert is held back because of a storm (many monitors that change at once), a limit, quiet hours or flapping. A
 * channel that begins to hold back alerts because of flapping also gets a message that announces the flapping, unless
 * quiet hours or a limit prevent it.
 */
export async function insertByPolicy(deps: PolicyDeps, tx: Transaction, input: AlertToInsert): Promise<void> {
  const { alert, channels } = input;
  if (channels.length === 0) return;
  const { organizationId, monitor } = alert;
  const now = deps.now();
  const decisions = await decide(deps, tx, input);
  const about = { organizationId, resourceId: monitor.id, now };
  const announcing = decisions.flatMap(({ channel, fate }) =>
    fate.kind === 'hold_back' && fate.announces ? [{ channel, ...fate.announces }] : [],
  );
  if (announcing.length > 0) {
    const announcement = flappingAlert(alert, { id: v7(), eventId: v7() }, now);
    await insertAlert(tx, announcement);
    insertDeliveries(
      tx,
      about,
      announcing.map(({ channel, lastUntil }) => ({
        id: v7(),
        alertId: announcement.id,
        channelId: channel.id,
        status: 'pending',
        heldBackUntil: lastUntil,
      })),
    );
  }
  insertDeliveries(
    tx,
    about,
    decisions.map(({ channel, fate }) => ({ id: v7(), alertId: alert.id, channelId: channel.id, ...columnsOf(fate) })),
  );
}

/**
 * Decides whether a delivery that was part of a storm (many monitors changing at once) can be sent alone. If not, holds
 * the delivery back and returns undefined. `lastUntil` is set if the delivery is the last one within the hourly limit.
 */
export async function decideAgain(
  deps: PolicyDeps,
  tx: Transaction,
  { alert, channel, deliveryId }: { alert: Alert; channel: AlertedChannel; deliveryId: string },
): Promise<{ readonly lastUntil?: Date } | undefined> {
  const [decision] = await decide(deps, tx, { alert, channels: [channel] });
  if (decision?.fate.kind !== 'hold_back') return decision?.fate.kind === 'send' ? decision.fate : {};
  const { fate: hold } = decision;
  await holdBack(tx, [deliveryId], { hold, error: textOfHold(hold), now: deps.now() });
  return undefined;
}

async function decide(
  { now, maxMessagesPerHour }: PolicyDeps,
  tx: Transaction,
  { alert, channels, stormId, flapping, read }: AlertToInsert,
): Promise<Decision[]> {
  const at = now();
  const sorted = [...channels].sort((a, b) => (a.id < b.id ? -1 : 1));
  // A broken channel holds all its alerts, and any other pager gets all its alerts immediately. Only the remaining
  // channels have a limit and can have alerts that are held back.
  const limited = sorted.filter(({ type, isBroken }) => !isPager(type) && !isBroken).map(({ id }) => id);
  const { hours, holds } =
    read && limited.every((id) => read.hours.has(id)) ? read : await readAgain(tx, alert, limited, at);
  const counted = new Map<string, MessageHour>();
  const decisions = sorted.map((channel) => {
    const { quietHours, maxMessagesPerHour: limit = maxMessagesPerHour } = channel.policy;
    const before = hours.get(channel.id);
    const { fate, hour } = decideFate(
      {
        ...channel,
        quietUntil: quietHours && quietUntil(quietHours, at),
        // A channel without an hour has no limit.
        waiting: before && holds.waiting.get(channel.id),
        flappingWaits: before && holds.flapping.get(channel.id),
        leftStorm: flapping?.leftStorm.has(channel.id) ?? false,
        hour: before,
        limit,
      },
      { kind: alert.kind, stormId, flappingUntil: flapping?.until, now: at },
    );
    if (hour && hour !== before) counted.set(channel.id, hour);
    return { channel, fate };
  });
  saveHours(tx, counted);
  return decisions;
}

async function readAgain(
  tx: Transaction,
  { organizationId, monitor }: Alert,
  sortedIds: readonly string[],
  now: Date,
): Promise<PolicyRead> {
  const [hours, holds] = await Promise.all([
    lockHours(tx, { organizationId, now }, sortedIds),
    findHolds(tx, sortedIds, monitor.id),
  ]);
  return { hours, holds };
}

function columnsOf(fate: Fate): Pick<NewDelivery, 'status' | 'error' | 'stormId' | 'hold' | 'heldBackUntil'> {
  switch (fate.kind) {
    case 'send':
      return { status: 'pending', heldBackUntil: fate.lastUntil };
    case 'held':
      return { status: 'held', error: HELD };
    case 'storm':
      return { status: 'grouped', stormId: fate.stormId };
    case 'hold_back': {
      const hold: Hold = { reason: fate.reason, until: fate.until };
      return { status: 'grouped', error: textOfHold(hold), hold };
    }
    default:
      return fate satisfies never;
  }
}
