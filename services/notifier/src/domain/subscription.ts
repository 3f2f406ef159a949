import { EVENT_KINDS, type EventKind } from '@tocsin/enums';

/** A URL that events of some kinds are posted to, without its secret. */
export interface Subscription {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  /** Each once. */
  readonly events: readonly EventKind[];
  readonly enabled: boolean;
  /** Why the system disabled it, for a person; undefined when it did not. */
  readonly disabled: { readonly at: Date; readonly reason: string } | undefined;
  /** Grows with every change that may repair it. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The kinds that somebody named, each once and in that order; or a sentence about each field that is wrong. */
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

/** Returns whether some of the kinds carry disruptions, which not every credential that manages webhooks may read. */
export function includesDisruptions(kinds: readonly string[]): boolean {
  return kinds.some((kind) => kind.startsWith('disruption.'));
}

/** What a change may say; what is absent stays. */
export interface SubscriptionChanges {
  readonly url?: string | undefined;
  readonly events?: readonly EventKind[] | undefined;
  readonly enabled?: boolean | undefined;
}

/** Returns a subscription after a person changed it. A new URL enables again what the system disabled. */
export function changeSubscription(
  subscription: Subscription,
  { url = subscription.url, events = subscription.events, enabled }: SubscriptionChanges,
  now: Date,
): Subscription {
  const isRepaired = url !== subscription.url || enabled === true;
  const current = isRepaired ? enableAgain(subscription, now) : subscription;
  return {
    ...current,
    url,
    events,
    enabled: enabled ?? current.enabled,
    disabled: enabled === false ? undefined : current.disabled,
    updatedAt: now,
  };
}

/** Returns a subscription whose receiver works as far as is known: enabled if the system had disabled it. */
export function enableAgain(subscription: Subscription, now: Date): Subscription {
  return {
    ...subscription,
    enabled: subscription.enabled || subscription.disabled !== undefined,
    disabled: undefined,
    revision: subscription.revision + 1,
    updatedAt: now,
  };
}

/** Returns a subscription that the system disabled. */
export function disableBySystem(subscription: Subscription, reason: string, now: Date): Subscription {
  return { ...subscription, enabled: false, disabled: { at: now, reason }, updatedAt: now };
}
