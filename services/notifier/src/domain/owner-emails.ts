import { spellDuration } from '@tocsin/text';
import type { Email } from './email.ts';

/** Kinds of emails to owners. Deliveries and logs contain these names. */
export type OwnerMailKind =
  | 'disable_warning'
  | 'auto_disabled'
  | 'channel_broken'
  | 'channel_healed'
  | 'subscription_disabled'
  | 'weekly_digest';

/** API resource that is the subject of an email. */
interface Subject {
  readonly name: string;
  readonly link: string;
}

/** Why the system disables a monitor. */
export type DisableCause =
  | { readonly kind: 'down'; readonly since: Date; readonly now: Date }
  | { readonly kind: 'disruptions'; readonly count: number };

const ORANGE = '#F79009';
const RED = '#D92D20';
const GREEN = '#12B76A';
const BLUE = '#2E90FA';
const OWNED = 'an organization that uses Tocsin';
const FOOTER = `You get this mail because you own ${OWNED}.`;

/**
 * Returns the warning that a monitor will be disabled at the time `at`. If `at` is undefined, the monitor will be
 * disabled after further disruptions.
 */
export function disableWarning(monitor: Subject, cause: DisableCause, at: Date | undefined): Email {
  const headline = `${monitor.name} will be disabled soon`;
  const deadline = at
    ? `Unless it recovers before, it will be disabled at ${formatTimeForPeople(at)}.`
    : 'With the 11th within 24 hours it will be disabled.';
  return {
    subject: headline,
    headline,
    color: ORANGE,
    paragraphs: [
      `${spellCause(cause, 'has been')} ${deadline}`,
      'A disabled monitor is not checked and raises no alerts. Repair what it checks, or change its configuration if it checks the wrong thing.',
    ],
    details: aboutMonitor(monitor),
    footer: FOOTER,
  };
}

/** Returns the email about a monitor that the system disabled. */
export function autoDisabled(monitor: Subject, cause: DisableCause): Email {
  const headline = `${monitor.name} was disabled`;
  return {
    subject: headline,
    headline,
    color: RED,
    paragraphs: [
      `${spellCause(cause, 'had been')} It is not checked any more and raises no alerts. Its open disruption stays open until the monitor is enabled again and a check passes.`,
      'When what it watches works again, enable it: PATCH it with {"enabled": true}.',
    ],
    details: aboutMonitor(monitor),
    footer: FOOTER,
  };
}

/** Returns the email that reports that a channel is broken and no longer gets alerts. */
export function channelBroken(channel: Subject & { readonly type: string }, reason: string): Email {
  const headline = `Alert channel ${channel.name} is broken`;
  return {
    subject: headline,
    headline,
    color: RED,
    paragraphs: [
      'Alerts could not be delivered to it, so it was disabled: no alert is sent through it until it works again.',
      'PATCH it with a config that works, or with {"enabled": true} once the receiver works again, and send a test.',
    ],
    details: [
      { name: 'Reason', value: reason },
      { name: 'Type', value: channel.type },
      { name: 'In the API', value: channel.link },
    ],
    footer: FOOTER,
  };
}

/** Why a broken channel is enabled again. */
export type HealCause = 'delivered' | 'confirmed' | 'changed';

const CAUSES: Record<HealCause, string> = {
  delivered: 'An alert or a test got through.',
  confirmed: 'A recipient confirmed to get its mails.',
  changed: 'Somebody changed its configuration or enabled it.',
};

/** Returns the email about a channel that was broken and is enabled again. */
export function channelHealed(channel: Subject & { readonly type: string }, cause: HealCause): Email {
  const headline = `Alert channel ${channel.name} is enabled again`;
  return {
    subject: headline,
    headline,
    color: GREEN,
    paragraphs: [`${CAUSES[cause]} The alerts that it held in the last 24 hours are sent late.`],
    details: [
      { name: 'Type', value: channel.type },
      { name: 'In the API', value: channel.link },
    ],
    footer: FOOTER,
  };
}

/**
 * Returns the email about a webhook subscription that was disabled because its receiver refuses messages. The email
 * names only the host of the URL, because the rest may be secret.
 */
export function subscriptionDisabled({ url, link }: { url: string; link: string }, reason: string): Email {
  const host = URL.parse(url)?.host ?? '';
  const headline = `A webhook to ${host} was disabled`;
  return {
    subject: headline,
    headline,
    color: RED,
    paragraphs: [
      'Its receiver took nothing, whatever was tried. What was waiting for it was dropped, and no further events are sent to it.',
      'When the receiver works again, PATCH the webhook with {"enabled": true}.',
    ],
    details: [
      { name: 'Reason', value: reason },
      { name: 'In the API', value: link },
    ],
    footer: FOOTER,
  };
}

/**
 * Returns the digest of monitors that have had no alert channel for at least a week. `total` is the number of these
 * monitors. The digest contains this number, but lists only the monitors in `named`.
 */
export function weeklyDigest(
  named: readonly { readonly name: string; readonly withoutChannelSince: Date }[],
  total: number,
): Email {
  const many = total === 1 ? '1 monitor has' : `${total} monitors have`;
  const headline = `${many} no alert channel`;
  const left = total - named.length;
  return {
    subject: `Weekly digest: ${headline}`,
    headline,
    color: BLUE,
    paragraphs: [
      `For 7 days or more, no alert would have been sent if ${total === 1 ? 'it' : 'one of them'} had gone down. Link an alert channel: PATCH the monitor with alert_channel_ids.`,
    ],
    details: [
      ...named.map(({ name, withoutChannelSince }) => ({ name, value: `since ${DATE.format(withoutChannelSince)}` })),
      ...(left > 0 ? [{ name: 'And', value: `${left} more` }] : []),
    ],
    footer: `${FOOTER} It comes on Mondays, as long as there is something to list.`,
  };
}

/** Adds the organization's name to an email. The reader may own several organizations. */
export function withOrganization(email: Email, name: string): Email {
  return {
    ...email,
    details: [{ name: 'Organization', value: name }, ...email.details],
    footer: email.footer.replace(OWNED, () => `${name}, ${OWNED}`),
  };
}

const DATE = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', timeStyle: 'short' });

function spellCause(cause: DisableCause, tense: 'has been' | 'had been'): string {
  if (cause.kind === 'disruptions') {
    return `It opened ${cause.count} disruptions by itself within 24 hours: it goes up and down all the time.`;
  }
  return `It ${tense} down for ${spellDuration(cause.now.getTime() - cause.since.getTime())}, since ${formatTimeForPeople(cause.since)}.`;
}

function aboutMonitor({ name, link }: Subject): Email['details'] {
  return [
    { name: 'Monitor', value: name },
    { name: 'In the API', value: link },
  ];
}

/** Formats a time as `22 Nov 2026, 02:00 UTC`. */
export function formatTimeForPeople(at: Date): string {
  return `${DATE.format(at)}, ${TIME.format(at)} UTC`;
}
