import { EVENT_KINDS, type EventKind } from '@tocsin/enums';

/** A URL that receives events of some kinds. The secret is not included. */
export interface Subscription {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  /** Kinds of events, without duplicates. */
  readonly events: readonly EventKind[];
  readonly enabled: boolean;
  /** Time and human-readable reason if the system disabled the subscription; otherwise undefined. */
  readonly disabled: { readonly at: Date; readonly reason: string } | undefined;
  /** Number that increases with every change that may repair the subscription. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Returns the event kinds with these names, in the same order and without duplicates. If a name is invalid or there are
 * no names, returns the problems by field.
 */
export function readEvents(
  names: readonly string[],
):
  | { readonly events: readonly EventKind[]; readonly problems?: never }
  | { readonly events?: never; readonly problems: ReadonlyMap<string, string> } {
  if (names.length === 0) return { problems: new Map([['events', 'must have at least 1 item']]) };
  const problems = new Map<string, string>();
  const events = new Set<EventKind>();
  for (const [index, name] of names.entries()) {
    const kind = EVENT_KINDS.find((candidate) => candidate === name);
    if (kind) events.add(kind);
    else problems.set(`events.${index}`, `must be one of ${EVENT_KINDS.join(', ')}`);
  }
  return problems.size > 0 ? { problems } : { events: [...events] };
}

/**
 * Returns whether events of any of these kinds contain disruptions. Callers use this to check permissions, because some
 * credentials may manage webhooks but not read disruptions.
 */
export function includesDisruptions(kinds: readonly string[]): boolean {
  return kinds.some((kind) => kind.startsWith('disruption.'));
}

/** Changes that a person makes to a subscription. Absent fields stay unchanged. */
export interface SubscriptionChanges {
  readonly url?: string | undefined;
  readonly events?: readonly EventKind[] | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * Returns a subscription after a change by a person. A new URL or `enabled: true` marks the subscription as healthy,
 * and enables it if the system disabled it. A change without a difference keeps `updatedAt`.
 */
export function changeSubscription(
  subscription: Subscription,
  { url = subscription.url, events = subscription.events, enabled }: SubscriptionChanges,
  now: Date,
): Subscription {
  const isRepaired = url !== subscription.url || enabled === true;
  const current = isRepaired ? enableAgain(subscription, now) : subscription;
  const after = {
    ...current,
    url,
    events,
    enabled: enabled ?? current.enabled,
    disabled: enabled === false ? undefined : current.disabled,
  };
  return {
    ...after,
    updatedAt: settingsText(after) === settingsText(subscription) ? subscription.updatedAt : now,
  };
}

/** Returns a text that is the same for subscriptions that do not differ in what people see and can change. */
function settingsText({ url, events, enabled, disabled }: Subscription): string {
  return JSON.stringify([url, events, enabled, disabled]);
}

/** Returns a subscription that is marked as healthy. If the system disabled the subscription, it is enabled again. */
export function enableAgain(subscription: Subscription, now: Date): Subscription {
  return {
    ...subscription,
    enabled: subscription.enabled || subscription.disabled !== undefined,
    disabled: undefined,
    revision: subscription.revision + 1,
    updatedAt: now,
  };
}

/** Returns a subscription after the system disabled it. */
export function disableBySystem(subscription: Subscription, reason: string, now: Date): Subscription {
  return { ...subscription, enabled: false, disabled: { at: now, reason }, updatedAt: now };
}
