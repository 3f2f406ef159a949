import { CHANNEL_NAMES, type CheckOutcome, type DeliveryStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type { AlertKind } from '../domain/alert.ts';
import type { LinkedChange } from '../domain/notice.ts';
import type { Notification, Outage, OutageRound, Wait } from '../domain/outage.ts';
import type { NamedKind } from '../domain/storm.ts';

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** Renders a time in UTC, both as text and in machine-readable form. */
export function timeHtml(time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${FORMAT.format(time)} UTC</time>`;
}

const OUTCOMES: Readonly<Record<CheckOutcome, { readonly tone: string; readonly text: string }>> = {
  pass: { tone: 'good', text: 'Passed' },
  fail: { tone: 'bad', text: 'Failed' },
  error: { tone: 'bad', text: 'No connection' },
  timeout: { tone: 'bad', text: 'Timed out' },
  unknown: { tone: 'quiet', text: 'No result' },
};

/** Renders the last rounds of an outage, with the results of each region. */
export function roundsHtml({ alerts, rounds }: Pick<Outage, 'alerts' | 'rounds'>): Html | undefined {
  if (alerts[0].kind === 'test' || alerts[0].kind === 'monitors_changed') return undefined;
  if (rounds === undefined) return section('Last checks', html`<p class="card muted">Not available right now.</p>`);
  if (rounds.length === 0) return undefined;
  return section('Last checks', html`<ol class="card list">${rounds.map(roundHtml)}</ol>`);
}

function roundHtml({ at, results }: OutageRound): Html {
  return html`<li>${timeHtml(at)}
      <ul class="regions">${results.map(({ region, outcome, error }) => {
        const { tone, text } = OUTCOMES[outcome];
        return html`<li><span class="mark is-${tone}">${text}</span> in ${region}${
          error === '' ? undefined : html`<br><span class="why" dir="auto">${error}</span>`
        }</li>`;
      })}</ul></li>`;
}

const STATUSES: Readonly<Record<DeliveryStatus, { readonly tone: string; readonly text: string }>> = {
  pending: { tone: 'warning', text: 'On its way' },
  sent: { tone: 'good', text: 'Arrived' },
  failed: { tone: 'bad', text: 'Did not arrive' },
  dropped: { tone: 'quiet', text: 'Not sent' },
  held: { tone: 'bad', text: 'Waits until the channel works' },
  grouped: { tone: 'quiet', text: 'Named in a message with others' },
};

const EVENTS: Readonly<Record<AlertKind, string>> = {
  monitor_down: 'Down',
  monitor_recovered: 'Recovered',
  monitor_stale: 'No data',
  cert_expiring: 'Certificate',
  test: 'Test',
  incident_closed: 'Closed',
  channel_broken: 'Channel broken',
  channel_healed: 'Channel enabled',
  monitors_changed: 'Several monitors',
  monitor_still_down: 'Reminder',
  monitor_flapping: 'Flapping',
};

const CHANGES: Readonly<Record<NamedKind, { readonly tone: string; readonly text: string }>> = {
  monitor_down: { tone: 'bad', text: 'Down' },
  monitor_recovered: { tone: 'good', text: 'Up again' },
  monitor_stale: { tone: 'quiet', text: 'No recent data' },
  cert_expiring: { tone: 'warning', text: 'Certificate expires' },
  channel_broken: { tone: 'warning', text: 'Broken' },
  channel_healed: { tone: 'good', text: 'Enabled again' },
};

/** Renders the changes that a message about several monitors lists, with links to their outage pages. */
export function changesHtml(changes: readonly LinkedChange[] = []): Html | undefined {
  if (changes.length === 0) return undefined;
  return section('What changed', html`<ul class="card list">${changes.map(changeHtml)}</ul>`);
}

function changeHtml({ kind, name, at, error, count = 1, outageLink }: LinkedChange): Html {
  const { tone, text } = CHANGES[kind];
  return html`<li>
      <span class="row"><strong dir="auto">${outageLink === undefined ? name : html`<a href="${outageLink}">${name}</a>`}</strong>${
        count === 1 ? undefined : html` <span class="muted">${count} changes</span>`
      }</span>
      <span><span class="mark is-${tone}">${text}</span> <span class="muted">since ${timeHtml(new Date(at))}</span></span>${
        error === '' ? undefined : html`<span class="muted" dir="auto">${error}</span>`
      }</li>`;
}

/** Renders the notifications, with the status of each. */
export function notificationsHtml(notifications: readonly Notification[]): Html | undefined {
  if (notifications.length === 0) return undefined;
  return section('Who was alerted', html`<ul class="card list">${notifications.map(notificationHtml)}</ul>`);
}

const WAITS: Readonly<Record<Wait['reason'], string>> = {
  quiet_hours: 'quiet hours',
  limit: 'limit per hour',
  flapping: 'flapping',
  storm: 'many changes at once',
};

function notificationHtml(notification: Notification): Html {
  const { channelName, channelType, event } = notification;
  return html`<li>
      <span class="row"><span dir="auto"><strong>${channelName}</strong> <span class="muted">${CHANNEL_NAMES[channelType]}</span></span>
        <span class="muted">${EVENTS[event]}</span></span>
      <span>${statusHtml(notification)}</span></li>`;
}

function statusHtml({ status, finishedAt, wait }: Notification): Html {
  if (wait) {
    return html`<span class="mark is-warning">Waits until</span> ${timeHtml(wait.until)} <span class="muted">(${WAITS[wait.reason]})</span>`;
  }
  const { tone, text } = STATUSES[status];
  return html`<span class="mark is-${tone}">${text}</span>${finishedAt ? html` <span class="muted">${timeHtml(finishedAt)}</span>` : undefined}`;
}

function section(title: string, body: Html): Html {
  return html`
  <section>
    <h2>${title}</h2>
    ${body}
  </section>`;
}
