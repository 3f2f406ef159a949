import type { ComponentStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import { worstStatus } from '../domain/component-status.ts';
import {
  type AffectedComponent,
  affectedOn,
  type DisruptionUpdate,
  type PageDisruptions,
  type ShownDisruption,
} from '../domain/disruption.ts';
import { joinFlapping, type PastEntry } from '../domain/flapping.ts';
import { statusOfDisruption } from '../domain/shown-status.ts';
import type { Markdown } from './markdown.ts';
import type { Texts } from './messages/texts.ts';
import { flappingTitle, publicText, publicTitle } from './public-texts.ts';
import { classOf, iconOf } from './status-look.ts';
import { absoluteTimeHtml, endTimeHtml, timeHtml } from './time-html.ts';

/** How long before its start a maintenance is shown above the components, in milliseconds. */
const SOON_MS = 24 * 3_600_000;

/** Number of affected components above the text of a disruption. The others are collapsed. */
const MAX_LISTED = 10;

/** Number of days for which a page shows disruptions after their end. */
const PAST_DAYS = 14;

/** Page on which disruptions are shown, with its language and the renderer for its texts. */
export interface Place {
  readonly pageId: string;
  /** Path of the page, without a slash at the end. */
  readonly base: string;
  readonly texts: Texts;
  readonly markdown: Markdown;
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
  const { texts } = place;
  const open = shown.filter(({ resolvedAt }) => resolvedAt === undefined);
  const scheduled = open.filter(({ status }) => status === 'scheduled').toReversed();
  const isSoon = ({ startedAt }: ShownDisruption) => startedAt.getTime() - now.getTime() <= SOON_MS;
  const past = shown
    .filter(({ resolvedAt }) => resolvedAt !== undefined)
    .toSorted((a, b) => (b.resolvedAt?.getTime() ?? 0) - (a.resolvedAt?.getTime() ?? 0));
  const cards = (disruptions: readonly ShownDisruption[]) =>
    disruptions.map((disruption) => disruptionHtml(disruption, place, 3));
  return {
    ongoing: section(
      'ongoing',
      texts.text('disruptions.ongoing'),
      cards(open.filter(({ status }) => status !== 'scheduled')),
    ),
    soon: section('planned-soon', texts.text('disruptions.planned_soon'), cards(scheduled.filter(isSoon))),
    later: section(
      'planned',
      texts.text('disruptions.planned'),
      cards(scheduled.filter((maintenance) => !isSoon(maintenance))),
    ),
    omittedOpen: omittedOpen > 0 ? note(texts.text('disruptions.open_omitted', { number: omittedOpen })) : undefined,
    past: pastHtml(past, { place, isEverything: past.length === shown.length, omittedEnded }),
  };
}

function pastHtml(
  past: readonly ShownDisruption[],
  { place, isEverything, omittedEnded }: { place: Place; isEverything: boolean; omittedEnded: number },
): Html {
  const { texts } = place;
  const byDay = Map.groupBy(joinFlapping(past, place.pageId), (entry) => texts.day(endOf(entry)));
  const days = [...byDay].map(
    ([day, entries]) => html`
      <h3 class="day">${day}</h3>${entries.map((entry) => pastEntryHtml(entry, place))}`,
  );
  const empty = html`<p class="card empty muted">${texts.text(isEverything ? 'disruptions.none' : 'disruptions.no_others')}</p>`;
  const more = omittedEnded > 0 ? note(texts.text('disruptions.ended_omitted', { number: omittedEnded })) : undefined;
  const heading = texts.text('disruptions.past', { count: PAST_DAYS });
  return html`${section('past', heading, [...(days.length > 0 ? days : [empty]), ...(more ? [more] : [])])}`;
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
      <h4 id="title-${last?.id}">${flappingTitle(disruptions, components, place.texts)}</h4>
      <details class="earlier" id="times-${last?.id}">
        <summary class="muted">${place.texts.text('repeated.times', { count: disruptions.length })}</summary>
        <ol class="timeline" role="list">${disruptions.map(
          (disruption) => html`
          <li id="disruption-${disruption.id}"><p class="muted"><a href="${place.base}/incidents/${disruption.id}">${periodHtml(disruption, place.texts)}</a></p></li>`,
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
export function wholeDisruptionHtml(disruption: ShownDisruption, place: Place): Html {
  const { pageId, texts } = place;
  const { resolvedAt, updates, hasOlderUpdates } = disruption;
  const components = affectedOn(disruption, pageId);
  const entries = updates.map((update) => updateHtml(update, publicText(disruption, update, components, texts), place));
  return html`
    <article class="card disruption ${resolvedAt ? 'is-over' : classOf(statusIn(disruption, components))}">
      <h2><bdi>${publicTitle(disruption, components, texts)}</bdi></h2>
      <p class="muted">${periodHtml(disruption, texts)}</p>
      ${components.length === 0 ? undefined : affectedHtml(components, disruption, texts)}
      <ol class="timeline" role="list" aria-label="${texts.text('updates.label')}">${entries.map((entry) => html`<li>${entry}</li>`)}</ol>
      ${hasOlderUpdates ? note(texts.text('updates.older_omitted')) : undefined}
    </article>`;
}

/**
 * Returns the worst status that a disruption gives to these components. If none of the components is impaired, returns
 * the status that matches the disruption's impact.
 */
export function statusIn(disruption: ShownDisruption, components: readonly AffectedComponent[]): ComponentStatus {
  const statuses = components.map(({ status }) => status).filter((status) => status !== 'operational');
  return statuses.length > 0 ? worstStatus(statuses) : statusOfDisruption(disruption);
}

/** Renders a disruption with its newest timeline entry. The older entries are collapsed. */
export function disruptionHtml(disruption: ShownDisruption, place: Place, level: 3 | 4): Html {
  const { pageId, base, texts } = place;
  const { id, resolvedAt, updates } = disruption;
  const components = affectedOn(disruption, pageId);
  const title = html`<a href="${base}/incidents/${id}"><bdi>${publicTitle(disruption, components, texts)}</bdi></a>`;
  const heading = level === 3 ? html`<h3 id="title-${id}">${title}</h3>` : html`<h4 id="title-${id}">${title}</h4>`;
  const status = statusIn(disruption, components);
  const [latest, ...earlier] = updates.map((update) =>
    updateHtml(update, publicText(disruption, update, components, texts), place),
  );
  return html`
    <article class="card disruption ${resolvedAt ? 'is-over' : classOf(status)}" id="disruption-${id}" aria-labelledby="title-${id}">
      ${heading}
      <p class="muted">${periodHtml(disruption, texts)}</p>
      ${components.length === 0 ? undefined : affectedHtml(components, disruption, texts)}
      ${latest && html`<div class="latest">${latest}</div>`}${earlierHtml(earlier, disruption, texts)}
    </article>`;
}

/** Renders the kind of a disruption and its period. */
export function periodHtml({ type, impact, startedAt, endsAt, resolvedAt }: ShownDisruption, texts: Texts): Html {
  const kind = texts.text(type === 'maintenance' ? 'kind.maintenance' : `kind.${impact}`);
  // A maintenance that was called off before its start has only a planned period.
  const until = resolvedAt && resolvedAt >= startedAt ? resolvedAt : endsAt;
  if (!until) return texts.html('period.open', { kind, start: timeHtml(startedAt, texts) });
  const [start, end] = [absoluteTimeHtml(startedAt, texts), endTimeHtml(until, startedAt, texts)];
  const lasted = resolvedAt ? resolvedAt.getTime() - startedAt.getTime() : 0;
  if (lasted < 1000) return texts.html('period.range', { kind, start, end });
  return texts.html('period.over', { kind, start, end, duration: texts.duration(lasted) });
}

function earlierHtml(
  earlier: readonly Html[],
  { id, hasOlderUpdates }: ShownDisruption,
  texts: Texts,
): Html | undefined {
  const older = hasOlderUpdates ? note(texts.text('updates.older_omitted')) : undefined;
  if (earlier.length === 0) return older;
  return html`
      <details class="earlier" id="earlier-${id}">
        <summary class="muted">${texts.text('updates.earlier', { count: earlier.length })}</summary>
        <ol class="timeline" role="list" aria-label="${texts.text('updates.label')}">${earlier.map((update) => html`<li>${update}</li>`)}</ol>${older}
      </details>`;
}

function affectedHtml(
  components: readonly AffectedComponent[],
  { id, status, resolvedAt, omittedComponents }: ShownDisruption,
  texts: Texts,
): Html {
  const items = components.map(({ name, status: affected }) => {
    if (resolvedAt) return html`<li><bdi>${name}</bdi></li>`;
    const label = texts.text(status === 'scheduled' ? `planned.${affected}` : `inline.${affected}`);
    return html`
        <li class="${classOf(affected)}">${iconOf(affected)} <bdi>${name}</bdi> <span class="muted">${label}</span></li>`;
  });
  const list = (shown: readonly Html[], isLast: boolean) => {
    const more =
      isLast && omittedComponents > 0
        ? html`<li class="muted">${texts.text('affected.more', { count: omittedComponents })}</li>`
        : undefined;
    return html`<ul class="affected" role="list" aria-label="${texts.text('affected.label')}">${shown}${more}</ul>`;
  };
  if (items.length <= MAX_LISTED) return list(items, true);
  // What happened must not stand below screens of names.
  const count = items.length - MAX_LISTED + omittedComponents;
  return html`${list(items.slice(0, MAX_LISTED), false)}
      <details class="earlier" id="affected-${id}">
        <summary class="muted">${texts.text('affected.more', { count })}</summary>
        ${list(items.slice(MAX_LISTED), true)}
      </details>`;
}

function updateHtml(
  { status, postedAt, editedAt }: DisruptionUpdate,
  { text, isByPerson }: { readonly text: string; readonly isByPerson: boolean },
  { texts, markdown }: Place,
): Html {
  const posted = timeHtml(postedAt, texts);
  const time = editedAt ? texts.html('update.edited', { posted, edited: timeHtml(editedAt, texts) }) : posted;
  return html`
          <p><strong>${texts.text(`update.${status}`)}</strong> <span class="muted">${time}</span></p>
          ${isByPerson ? html`<div class="prose" dir="auto">${markdown.html(text)}</div>` : html`<p class="prose">${text}</p>`}`;
}
