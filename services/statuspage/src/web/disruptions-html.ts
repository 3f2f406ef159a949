import type { DisruptionImpact, DisruptionStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type {
  AffectedComponent,
  Disruption,
  DisruptionUpdate,
  PageDisruptions,
  ShownDisruption,
} from '../domain/disruption.ts';
import { publicText, publicTitle } from '../domain/public-texts.ts';
import { statusBadge } from './status-look.ts';
import { timeHtml } from './time-html.ts';

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

/** Renders a section for open disruptions and one for planned maintenance. Empty sections are omitted. */
export function ongoingHtml({ shown, omittedOpen }: PageDisruptions, pageId: string): (Html | undefined)[] {
  const open = shown.filter(({ resolvedAt }) => resolvedAt === undefined);
  const isAhead = ({ status }: Disruption) => status === 'scheduled';
  const more = omittedOpen > 0 ? omittedHtml(`Further open or planned ones not shown: ${omittedOpen}`) : undefined;
  return [
    section(
      'ongoing',
      'Ongoing',
      open.filter((disruption) => !isAhead(disruption)),
      pageId,
    ),
    section('planned', 'Planned maintenance', open.filter(isAhead).toReversed(), pageId),
    more,
  ];
}

/** Renders recently resolved disruptions, newest first. Renders a note if there were none. */
export function pastHtml({ shown, omittedEnded }: PageDisruptions, pageId: string): Html {
  const past = shown
    .filter(({ resolvedAt }) => resolvedAt !== undefined)
    .toSorted((a, b) => (b.resolvedAt?.getTime() ?? 0) - (a.resolvedAt?.getTime() ?? 0));
  const heading = 'Last 14 days';
  const more = omittedEnded > 0 ? omittedHtml(`Older ones not shown: ${omittedEnded}`) : undefined;
  return (
    section('past', heading, past, pageId, more) ??
    html`
    <section class="section" aria-labelledby="past">
      <h2 id="past">${heading}</h2>
      <p class="card empty muted">${shown.length > 0 ? 'Nothing else was reported.' : 'Nothing was reported.'}</p>
    </section>`
  );
}

function omittedHtml(text: string): Html {
  return html`
      <p class="muted">${text}</p>`;
}

function section(
  id: string,
  heading: string,
  disruptions: readonly ShownDisruption[],
  pageId: string,
  more?: Html,
): Html | undefined {
  if (disruptions.length === 0) return undefined;
  return html`
    <section class="section" aria-labelledby="${id}">
      <h2 id="${id}">${heading}</h2>
      ${disruptions.map((disruption) => disruptionHtml(disruption, pageId))}${more}
    </section>`;
}

function disruptionHtml(disruption: ShownDisruption, pageId: string): Html {
  const { id, impact, type, startedAt, endsAt, resolvedAt, updates, hasOlderUpdates } = disruption;
  const until = resolvedAt ?? endsAt;
  const components = disruption.components.filter(({ statusPageId }) => statusPageId === pageId);
  return html`
    <article class="card disruption${resolvedAt ? ' is-over' : ''}" id="disruption-${id}" aria-labelledby="title-${id}">
      <h3 id="title-${id}" dir="auto">${publicTitle(disruption, components)}</h3>
      <p class="muted">
        ${type === 'maintenance' ? 'Maintenance' : IMPACT_WORDS[impact]} · ${timeHtml(startedAt)}${until && html` – ${timeHtml(until)}`}
      </p>
      ${components.length === 0 ? undefined : affectedHtml(components, disruption)}
      <ol class="timeline" aria-label="Updates, newest first">${updates.map((update) => updateHtml(update, publicText(disruption, update, components)))}</ol>${hasOlderUpdates ? omittedHtml('Older entries are not shown.') : undefined}
    </article>`;
}

function affectedHtml(
  components: readonly AffectedComponent[],
  { status, resolvedAt, omittedComponents }: ShownDisruption,
): Html {
  const isOver = resolvedAt !== undefined;
  const willBe = status === 'scheduled' ? html` <span class="muted">will be</span>` : undefined;
  return html`<ul class="affected" aria-label="Affected components">${components.map(
    ({ name, status: affected }) => html`
        <li><span dir="auto">${name}</span>${willBe}${isOver ? undefined : html` ${statusBadge(affected)}`}</li>`,
  )}${omittedComponents > 0 ? html`<li class="muted">and ${omittedComponents} more</li>` : undefined}</ul>`;
}

function updateHtml({ status, postedAt }: DisruptionUpdate, text: string): Html {
  return html`
        <li>
          <p><strong>${STATUS_WORDS[status]}</strong> <span class="muted">${timeHtml(postedAt)}</span></p>
          <p class="prose" dir="auto">${text}</p>
        </li>`;
}
