import { LockMode } from '@mikro-orm/core';
import type { LimitedRows, Transaction } from '@tocsin/database';
import { EVENT_KINDS, type EventKind } from '@tocsin/enums';
import { cutPart, type Paging, type Part } from '@tocsin/paging';
import type { Subscription } from '../domain/subscription.ts';
import { SubscriptionEntity, type SubscriptionRow } from './schema.ts';

/** Rows that count against the organization's subscription limit. */
export const SUBSCRIPTION_ROWS: LimitedRows = { limit: 'webhook_subscriptions', table: 'subscription' };

/** A row without the secrets. The secrets are read only when a message is sent. */
type OpenRow = Omit<SubscriptionRow, 'sealedSecret' | 'previousSealedSecret' | 'previousSecretUntil'>;

function toDomain(row: OpenRow): Subscription {
  const { id, organizationId, url, enabled, disabledAt: at, disabledReason, revision, createdAt, updatedAt } = row;
  return {
    id,
    organizationId,
    url,
    enabled,
    revision,
    createdAt,
    updatedAt,
    events: row.events.filter(isKind),
    disabled: at ? { at, reason: disabledReason ?? '' } : undefined,
  };
}

function isKind(name: string): name is EventKind {
  return EVENT_KINDS.some((kind) => kind === name);
}

function toRow({ events, disabled, ...subscription }: Subscription): OpenRow {
  const disabledBySystem = { disabledAt: disabled?.at ?? null, disabledReason: disabled?.reason ?? null };
  return { ...subscription, ...disabledBySystem, events: [...events] };
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

/** Returns the same as findSubscription(), and locks the row until the transaction ends. */
export async function lockSubscription(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<Subscription | undefined> {
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const row = await tx.em.findOne(SubscriptionEntity, { id, organizationId }, options);
  return row ? toDomain(row) : undefined;
}

/**
 * Returns the sealed secret of a subscription that the caller has read in this transaction.
 * @throws if the subscription does not exist.
 */
export async function readSealedSecret(tx: Transaction, organizationId: string, id: string): Promise<string> {
  const options = { fields: ['sealedSecret'] } as const;
  return (await tx.em.findOneOrFail(SubscriptionEntity, { id, organizationId }, options)).sealedSecret;
}

/** Returns a page of subscriptions, newest first. */
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

/** Saves all fields of a subscription except the secret. */
export async function saveSubscription(tx: Transaction, subscription: Subscription): Promise<void> {
  const { id, organizationId } = subscription;
  await tx.em.nativeUpdate(SubscriptionEntity, { id, organizationId }, toRow(subscription));
}

/** Replaces the secret. For a limited time, messages are also signed with the previous secret. */
export async function replaceSecret(
  tx: Transaction,
  { id, organizationId }: Subscription,
  { sealedSecret, at, previousUntil }: { sealedSecret: string; at: Date; previousUntil: Date },
): Promise<void> {
  await tx.query(
    `update subscription set previous_sealed_secret = sealed_secret, previous_secret_until = $4, sealed_secret = $3,
       updated_at = $5
     where id = $1 and organization_id = $2`,
    [id, organizationId, sealedSecret, previousUntil, at],
  );
}

/** Deletes a subscription with its deliveries. Returns whether it existed. */
export async function removeSubscription(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  return (await tx.em.nativeDelete(SubscriptionEntity, { id, organizationId })) > 0;
}
