import type { ComponentStatus, DisruptionImpact, DisruptionStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import { spellDuration } from '@tocsin/text';
import { worstStatus } from '../domain/component-status.ts';
import {
  type AffectedComponent,
  affectedOn,
  type DisruptionUpdate,
  type PageDisruptions,
  type ShownDisruption,
} from '../domain/disruption.ts';
import { joinFlapping, type PastEntry } from '../domain/flapping.ts';
import { flappingTitle, publicText, publicTitle } from '../domain/public-texts.ts';
import { statusOfDisruption } from '../domain/shown-status.ts';
import { classOf, iconOf, labelOf } from './status-look.ts';
import { dayText, timeHtml } from './time-html.ts';

export const STATUS_WORDS: Record<DisruptionStatus, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  scheduled: 'Scheduled',
  in_progress: 'In progress',
  completed: 'Completed',
};

const IMPACT_WORDS: Record<DisruptionImpact, string> = {
  minor: 'Minor impact',
  major: 'Major impact',
  critical: 'Critical impact',
};

/** Time before its start from which a maintenance is shown above the components. */
const SOON_MS = 24 * 3_600_000;

/** Page on which disruptions are shown. */
export interface Place {
  readonly pageId: string;
  /** Path of the page, without a slash at the end. */
  readonly base: string;
}

/** Sections of a page with its disruptions. Empty sections are undefined. */
export interface DisruptionSections {
  readonly ongoing: Html | undefined;
  /** Scheduled maintenance that starts within 24 hours. */
  readonly soon: Html | undefined;
  /** Scheduled maintenance that starts later. */
  readonly later: Html | undefined;
  readonly omittedOpen: Html | undefined;
  readonly past: Html;
}

/** Renders a page's disruptions. */
export function disruptionsHtml(
  { shown, omittedOpen, omittedEnded }: PageDisruptions,
  place: Place,
  now: Date,
): DisruptionSections {
  const open = shown.filter(({ resolvedAt }) => resolvedAt === undefined);
  const scheduled = open.filter(({ status }) => status === 'scheduled').toReversed();
  const isSoon = ({ startedAt }: ShownDisruption) => startedAt.getTime() - now.getTime() <= SOON_MS;
  const past = shown
    .filter(({ resolvedAt }) => resolvedAt !== undefined)
    .toSorted((a, b) => (b.resolvedAt?.getTime() ?? 0) - (a.resolvedAt?.getTime() ?? 0));
  const cards = (disruptions: readonly ShownDisruption[]) =>
    disruptions.map((disruption) => disruptionHtml(disruption, place, 3));
  return {
    ongoing: section('ongoing', 'Ongoing', cards(open.filter(({ status }) => status !== 'scheduled'))),
    soon: section('planned-soon', 'Scheduled maintenance within 24 hours', cards(scheduled.filter(isSoon))),
    later: section('planned', 'Scheduled maintenance', cards(scheduled.filter((maintenance) => !isSoon(maintenance)))),
    omittedOpen: omittedOpen > 0 ? note(`Further open or planned ones not shown: ${omittedOpen}`) : undefined,
    past: pastHtml(past, { place, isEverything: past.length === shown.length, omittedEnded }),
  };
}

function pastHtml(
  past: readonly ShownDisruption[],
  { place, isEverything, omittedEnded }: { place: Place; isEverything: boolean; omittedEnded: number },
): Html {
  const byDay = Map.groupBy(joinFlapping(past, place.pageId), (entry) => dayText(endOf(entry)));
  const days = [...byDay].map(
    ([day, entries]) => html`
      <h3 class="day">${day}</h3>${entries.map((entry) => pastEntryHtml(entry, place))}`,
  );
  const empty = html`<p class="card empty muted">${isEverything ? 'Nothing was reported.' : 'Nothing else was reported.'}</p>`;
  const more = omittedEnded > 0 ? note(`Older ones not shown: ${omittedEnded}`) : undefined;
  return html`${section('past', 'Last 14 days', [...(days.length > 0 ? days : [empty]), ...(more ? [more] : [])])}`;
}

function endOf(entry: PastEntry): Date {
  const { resolvedAt } = entry.kind === 'one' ? entry.disruption : (entry.disruptions[0] ?? {});
  return resolvedAt ?? new Date(0);
}

function pastEntryHtml(entry: PastEntry, place: Place): Html {
  if (entry.kind === 'one') return disruptionHtml(entry.disruption, place, 4);
  const { disruptions } = entry;
  const [last] = disruptions;
  const components = last ? affectedOn(last, place.pageId) : [];
  return html`
    <article class="card disruption is-over" aria-labelledby="title-${last?.id}">
      <h4 id="title-${last?.id}" dir="auto">${flappingTitle(disruptions, components)}</h4>
      <details class="earlier" id="times-${last?.id}">
        <summary class="muted">All ${disruptions.length} times</summary>
        <ol class="timeline" role="list">${disruptions.map(
          (disruption) => html`
          <li id="disruption-${disruption.id}"><p class="muted"><a href="${place.base}/incidents/${disruption.id}">${periodHtml(disruption)}</a></p></li>`,
        )}</ol>
      </details>
    </article>`;
}

function note(text: string): Html {
  return html`
      <p class="muted">${text}</p>`;
}

function section(id: string, heading: string, content: readonly Html[]): Html | undefined {
  if (content.length === 0) return undefined;
  return html`
    <section class="section" aria-labelledby="${id}">
      <h2 id="${id}">${heading}</h2>
      ${content}
    </section>`;
}

/** Renders a disruption with its whole timeline. */
export function wholeDisruptionHtml(disruption: ShownDisruption, pageId: string): Html {
  const { resolvedAt, updates, hasOlderUpdates } = disruption;
  const components = affectedOn(disruption, pageId);
  const entries = updates.map((update) => updateHtml(update, publicText(disruption, update, components)));
  return html`
    <article class="card disruption ${resolvedAt ? 'is-over' : classOf(statusIn(disruption, components))}">
      <h2 dir="auto">${publicTitle(disruption, components)}</h2>
      <p class="muted">${periodHtml(disruption)}</p>
      ${components.length === 0 ? undefined : affectedHtml(components, disruption)}
      <ol class="timeline" role="list" aria-label="Updates, newest first">${entries.map((entry) => html`<li>${entry}</li>`)}</ol>
      ${hasOlderUpdates ? note('Older entries are not shown.') : undefined}
    </article>`;
}

/**
 * Returns the worst status that a disruption gives to these components. Without components, returns the status that
 * matches its impact.
 */
function statusIn(disruption: ShownDisruption, components: readonly AffectedComponent[]): ComponentStatus {
  const statuses = components.map(({ status }) => status).filter((status) => status !== 'operational');
  return statuses.length > 0 ? worstStatus(statuses) : statusOfDisruption(disruption);
}

/** Renders a disruption with its last timeline entry. Earlier entries are collapsed. */
export function disruptionHtml(disruption: ShownDisruption, { pageId, base }: Place, level: 3 | 4): Html {
  const { id, resolvedAt, updates } = disruption;
  const components = affectedOn(disruption, pageId);
  const title = html`<a href="${base}/incidents/${id}">${publicTitle(disruption, components)}</a>`;
  const heading =
    level === 3
      ? html`<h3 id="title-${id}" dir="auto">${title}</h3>`
      : html`<h4 id="title-${id}" dir="auto">${title}</h4>`;
  const status = statusIn(disruption, components);
  const [latest, ...earlier] = updates.map((update) => updateHtml(update, publicText(disruption, update, components)));
  const list = html`<ol class="timeline" role="list" aria-label="Updates, newest first">`;
  return html`
    <article class="card disruption ${resolvedAt ? 'is-over' : classOf(status)}" id="disruption-${id}" aria-labelledby="title-${id}">
      ${heading}
      <p class="muted">${periodHtml(disruption)}</p>
      ${components.length === 0 ? undefined : affectedHtml(components, disruption)}
      ${latest && html`<div class="latest">${latest}</div>`}${earlierHtml(earlier, disruption, list)}
    </article>`;
}

function periodHtml({ type, impact, startedAt, endsAt, resolvedAt }: ShownDisruption): Html {
  const kind = type === 'maintenance' ? 'Maintenance' : IMPACT_WORDS[impact];
  const until = resolvedAt ?? endsAt;
  const lasted = resolvedAt ? resolvedAt.getTime() - startedAt.getTime() : 0;
  return html`${kind} · ${timeHtml(startedAt)}${until && html` – ${timeHtml(until)}`}${lasted >= 1000 ? ` · lasted ${spellDuration(lasted)}` : undefined}`;
}

function earlierHtml(earlier: readonly Html[], { id, hasOlderUpdates }: ShownDisruption, list: Html): Html | undefined {
  const older = hasOlderUpdates ? note('Older entries are not shown.') : undefined;
  if (earlier.length === 0) return older;
  const count = earlier.length === 1 ? '1 earlier update' : `${earlier.length} earlier updates`;
  return html`
      <details class="earlier" id="earlier-${id}">
        <summary class="muted">${count}</summary>
        ${list}${earlier.map((update) => html`<li>${update}</li>`)}</ol>${older}
      </details>`;
}

function affectedHtml(
  components: readonly AffectedComponent[],
  { status, resolvedAt, omittedComponents }: ShownDisruption,
): Html {
  const isOver = resolvedAt !== undefined;
  const willBe = status === 'scheduled' ? 'will be ' : '';
  return html`<ul class="affected" role="list" aria-label="Affected components">${components.map(
    ({ name, status: affected }) => html`
        <li class="${isOver ? '' : classOf(affected)}">${isOver ? undefined : iconOf(affected)} <span dir="auto">${name}</span>${isOver ? undefined : html` <span class="muted">${willBe}${labelOf(affected).toLowerCase()}</span>`}</li>`,
  )}${omittedComponents > 0 ? html`<li class="muted">and ${omittedComponents} more</li>` : undefined}</ul>`;
}

function updateHtml({ status, postedAt, editedAt }: DisruptionUpdate, text: string): Html {
  const edited = editedAt && html` · edited ${timeHtml(editedAt)}`;
  return html`
          <p><strong>${STATUS_WORDS[status]}</strong> <span class="muted">${timeHtml(postedAt)}${edited}</span></p>
          <p class="prose" dir="auto">${text}</p>`;
}
