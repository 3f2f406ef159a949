import { LockMode } from '@mikro-orm/core';
import type { LimitedRows, Transaction } from '@tocsin/database';
import { EVENT_KINDS, type EventKind } from '@tocsin/enums';
import { cutPart, type Paging, type Part } from '@tocsin/paging';
import type { Subscription } from '../domain/subscription.ts';
import { SubscriptionEntity, type SubscriptionRow } from './schema.ts';

/** Subscriptions that count against the organization's limit. */
export const SUBSCRIPTION_ROWS: LimitedRows = { limit: 'webhook_subscriptions', table: 'subscription' };

/** A row without the secret, which is read only where a message is sent. */
type OpenRow = Omit<SubscriptionRow, 'sealedSecret'>;

function toDomain({ events, ...row }: OpenRow): Subscription {
  return { ...row, events: events.filter(isKind) };
}

function isKind(name: string): name is EventKind {
  return EVENT_KINDS.some((kind) => kind === name);
}

function toRow({ events, ...subscription }: Subscription): OpenRow {
  return { ...subscription, events: [...events] };
}

export async function insertSubscription(
  tx: Transaction,
  subscription: Subscription,
  sealedSecret: string,
): Promise<void> {
  await tx.em.insert(SubscriptionEntity, { ...toRow(subscription), sealedSecret });
}

export async function findSubscription(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<Subscription | undefined> {
  const row = await tx.em.findOne(SubscriptionEntity, { id, organizationId });
  return row ? toDomain(row) : undefined;
}

/** Like findSubscription(), with a row lock until the transaction ends. */
export async function lockSubscription(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<Subscription | undefined> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const row = await tx.em.findOne(SubscriptionEntity, { id, organizationId }, options);
  return row ? toDomain(row) : undefined;
}

/** @throws when there is none: the caller has seen the subscription in this transaction. */
export async function readSealedSecret(tx: Transaction, organizationId: string, id: string): Promise<string> {
  const options = { fields: ['sealedSecret'] } as const;
  return (await tx.em.findOneOrFail(SubscriptionEntity, { id, organizationId }, options)).sealedSecret;
}

/** Newest first. */
export async function listSubscriptions(
  tx: Transaction,
  organizationId: string,
  paging: Paging,
): Promise<Part<Subscription>> {
  const { before, limit } = paging;
  const rows = await tx.em.find(
    SubscriptionEntity,
    { organizationId, ...(before && { id: { $lt: before } }) },
    { orderBy: { id: 'desc' }, limit: limit + 1 },
  );
  return cutPart(rows.map(toDomain), paging);
}

/** Writes everything but the secret. */
export async function saveSubscription(tx: Transaction, subscription: Subscription): Promise<void> {
  const { id, organizationId } = subscription;
  await tx.em.nativeUpdate(SubscriptionEntity, { id, organizationId }, toRow(subscription));
}

/** Whether there was one. Takes its deliveries with it. */
export async function removeSubscription(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  return (await tx.em.nativeDelete(SubscriptionEntity, { id, organizationId })) > 0;
}
