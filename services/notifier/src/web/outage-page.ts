import { type Html, html } from '@tocsin/html';
import { spellDuration } from '@tocsin/text';
import { MAX_NAME } from '../app/outages.ts';
import { canBeAcknowledged, type Outage, spanOf } from '../domain/outage.ts';
import { changesHtml, notificationsHtml, roundsHtml, timeHtml } from './outage-lists.ts';
import { type Document, documentOf } from './outage-shell.ts';

type Tone = 'bad' | 'good' | 'quiet' | 'warning' | 'accent';

/** Renders the current state of an outage as a page. */
export function outagePage(outage: Outage, now: Date): Document {
  const [{ monitor }] = outage.alerts;
  const { tone, state, headline } = lookOf(outage);
  const title = `${state}: ${monitor.name}`;
  return documentOf(
    title,
    html`
<main>
  <section class="card hero is-${tone}">
    <p class="state">${state}</p>
    <h1 dir="auto">${headline}</h1>
    ${sinceHtml(outage, now)}
    ${reasonHtml(outage)}
    ${factsHtml(outage)}
  </section>
  ${acknowledgementHtml(outage)}
  ${changesHtml(outage.changes)}
  ${roundsHtml(outage)}
  ${notificationsHtml(outage.notifications)}
  <footer class="muted">
    <p>As of ${timeHtml(now)}. Reload for the latest.</p>
    <p>Anyone with this link can see this page. It is sent with alerts, and it is not listed anywhere.</p>
  </footer>
</main>`,
  );
}

function lookOf(outage: Outage): { readonly tone: Tone; readonly state: string; readonly headline: string } {
  const [{ kind, monitor, certificate }] = outage.alerts;
  if (outage.subject.kind === 'disruption') {
    return spanOf(outage).until
      ? { tone: 'good', state: 'Over', headline: `${monitor.name} was down` }
      : { tone: 'bad', state: 'Down', headline: `${monitor.name} is down` };
  }
  switch (kind) {
    case 'monitor_down':
    case 'monitor_still_down':
      return { tone: 'bad', state: 'Down', headline: `${monitor.name} is down` };
    case 'monitor_recovered':
      return { tone: 'good', state: 'Up', headline: `${monitor.name} is up again` };
    case 'monitor_stale':
      return { tone: 'quiet', state: 'No data', headline: `${monitor.name} has no recent data` };
    case 'cert_expiring': {
      const expired = (certificate?.daysRemaining ?? 0) < 0;
      const headline = `The certificate of ${monitor.name} ${expired ? 'has expired' : 'expires soon'}`;
      return { tone: 'warning', state: 'Certificate', headline };
    }
    case 'test':
      return { tone: 'accent', state: 'Test', headline: 'The test alert came through' };
    case 'incident_closed':
      return { tone: 'quiet', state: 'Closed', headline: `${monitor.name} needs no attention any more` };
    case 'channel_broken':
      return { tone: 'warning', state: 'Channel broken', headline: `${monitor.name} is broken` };
    case 'channel_healed':
      return { tone: 'good', state: 'Channel enabled', headline: `${monitor.name} is enabled again` };
    case 'monitors_changed':
      return { tone: 'warning', state: 'Several monitors', headline: `${monitor.name} changed` };
    case 'monitor_flapping':
      return { tone: 'warning', state: 'Flapping', headline: `${monitor.name} goes up and down` };
    default:
      return kind satisfies never;
  }
}

function sinceHtml(outage: Outage, now: Date): Html {
  const { from, until } = spanOf(outage);
  if (until) {
    const length = spellDuration(Math.max(0, until.getTime() - from.getTime()));
    return html`<p class="since">For <strong>${length}</strong>, from ${timeHtml(from)} to ${timeHtml(until)}</p>`;
  }
  if (outage.subject.kind === 'alert' && outage.alerts[0].kind !== 'monitor_stale') {
    return html`<p class="since">At ${timeHtml(from)}</p>`;
  }
  const length = spellDuration(Math.max(0, now.getTime() - from.getTime()));
  return html`<p class="since">For <strong>${length}</strong>, since ${timeHtml(from)}</p>`;
}

function reasonHtml({ alerts }: Outage): Html | undefined {
  const error = alerts.find((alert) => alert.error !== '')?.error;
  return error === undefined ? undefined : html`<p class="reason" dir="auto">${error}</p>`;
}

function factsHtml({ alerts, statusPageUrl }: Outage): Html | undefined {
  const [{ monitor, certificate }] = alerts;
  const details = [
    ...(certificate ? [{ name: 'The certificate expires', value: timeHtml(certificate.expiresAt) }] : []),
    ...(monitor.url === '' ? [] : [{ name: 'Checks', value: linkHtml(monitor.url) }]),
    ...(statusPageUrl ? [{ name: 'Status page', value: linkHtml(statusPageUrl) }] : []),
  ];
  if (details.length === 0) return undefined;
  return html`<dl class="details">${details.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Renders an http(s) address as a link without a referrer, and any other string as text. */
function linkHtml(address: string): Html {
  if (!/^https?:\/\/\S+$/.test(address)) return html`<span dir="ltr">${address}</span>`;
  return html`<a href="${address}" rel="noreferrer nofollow" dir="ltr">${address}</a>`;
}

/**
 * Renders the acknowledgement, or an acknowledgement form. The form is in a `details` element, because opening this
 * element requires no script.
 */
function acknowledgementHtml(outage: Outage): Html | undefined {
  const acknowledgement = outage.disruption?.acknowledgement;
  if (acknowledgement) {
    return html`
  <p class="card handled"><span><strong dir="auto">${acknowledgement.by}</strong> ${spanOf(outage).until ? 'took' : 'is taking'} care of it, since ${timeHtml(acknowledgement.at)}</span></p>`;
  }
  if (!canBeAcknowledged(outage)) return undefined;
  return html`
  <details class="card">
    <summary>I am taking care of it</summary>
    <form method="post">
      <label for="name">Your name, so that the others know (optional)</label>
      <input id="name" name="name" maxlength="${MAX_NAME}" autocomplete="name">
      <button>Acknowledge</button>
    </form>
  </details>`;
}
