import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { HELD } from '../domain/held.ts';
import { planSummary, type SummaryPlan, textOfHold } from '../domain/hold-back.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { changesOf, stormAlert } from '../domain/storm.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { lockChannel } from '../storage/channel-store.ts';
import {
  channelsToSumUp,
  endHoldingBack,
  holdBack,
  lockHours,
  makeHeldBackDue,
  markSummedUp,
  releaseAlone,
  saveHours,
} from '../storage/hold-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { type DeliveryOfAlert, findHeldBack } from '../storage/queued-deliveries.ts';
import type { Deps } from './ports.ts';

const BATCH = 20;

/**
 * Sends the alerts that were held back and are now due. Each channel gets one message, which lists every monitor that
 * changed. If only one alert of a channel is due, the alert itself is sent.
 */
export async function sumUp(deps: Deps): Promise<'again' | 'done'> {
  const { database, now } = deps;
  const channels = await database.transaction('every organization', (tx) => channelsToSumUp(tx, now(), BATCH));
  for (const { id, organizationId } of channels) {
    await database.transaction({ organizationId }, async (tx) => {
      const channel = await lockChannel(tx, organizationId, id);
      if (channel) await sumUpChannel(deps, tx, channel);
    });
  }
  return channels.length === BATCH ? 'again' : 'done';
}

/**
 * Applies the changed quiet hours and limit of a channel to the alerts that are held back because of the previous ones.
 * They are sent now or held back until another time. The caller must hold the lock on the channel's row.
 */
export async function applyChangedPolicy(deps: Deps, tx: Transaction, channel: Channel): Promise<void> {
  await makeHeldBackDue(tx, channel, deps.now());
  await sumUpChannel(deps, tx, channel);
}

async function sumUpChannel({ now, maxMessagesPerHour }: Deps, tx: Transaction, channel: Channel): Promise<void> {
  const { id, organizationId, broken, policy } = channel;
  const at = now();
  const hours = await lockHours(tx, { organizationId, now: at }, [id]);
  const due = await findHeldBack(tx, { organizationId, channelId: id, until: at });
  if (due.length === 0) return;
  const state = {
    enabled: channel.enabled,
    isBroken: broken !== undefined,
    quietUntil: policy.quietHours && quietUntil(policy.quietHours, at),
    hour: hours.get(id),
    limit: policy.maxMessagesPerHour ?? maxMessagesPerHour,
  };
  const { plan, hour } = planSummary(state, at);
  if (hour) saveHours(tx, new Map([[id, hour]]));
  await carryOut(tx, { channel, due, plan, now: at });
}

async function carryOut(
  tx: Transaction,
  { channel, due, plan, now }: { channel: Channel; due: readonly DeliveryOfAlert[]; plan: SummaryPlan; now: Date },
): Promise<void> {
  const ids = due.map(({ deliveryId }) => deliveryId);
  switch (plan.kind) {
    case 'held':
      return endHoldingBack(tx, ids, { status: 'held', error: HELD, now });
    case 'dropped':
      return endHoldingBack(tx, ids, { status: 'dropped', error: 'the channel is disabled', now });
    case 'postpone':
      return holdBack(tx, ids, { hold: plan, error: textOfHold(plan), now });
    case 'send':
      return send(tx, { channel, due, heldBackUntil: plan.lastUntil, now });
    default:
      return plan satisfies never;
  }
}

async function send(
  tx: Transaction,
  {
    channel: { id: channelId, organizationId },
    due,
    heldBackUntil,
    now,
  }: { channel: Channel; due: readonly DeliveryOfAlert[]; heldBackUntil: Date | undefined; now: Date },
): Promise<void> {
  const [only, ...others] = due;
  if (only && others.length === 0) return releaseAlone(tx, only.deliveryId, { late: true, heldBackUntil, now });
  const alert = summaryOf(organizationId, due, now);
  await insertAlert(tx, alert);
  const about = { organizationId, resourceId: alert.monitor.id, now };
  const delivery = { id: v7(), alertId: alert.id, channelId, status: 'pending', heldBackUntil } as const;
  insertDeliveries(tx, about, [delivery]);
  await markSummedUp(
    tx,
    due.map(({ deliveryId }) => deliveryId),
  );
}

function summaryOf(organizationId: string, due: readonly DeliveryOfAlert[], now: Date): Alert {
  const changes = changesOf(due.map(({ alert }) => alert));
  return stormAlert({ id: v7(), eventId: v7(), organizationId, stormId: v7(), changes, now });
}
