import { type Html, html } from '@tocsin/html';
import type { PageHistory } from '../app/get-page-history.ts';
import { groupStatus, type ShownStatus } from '../domain/shown-status.ts';
import type { Component, Entry } from '../domain/tree.ts';
import type { Markdown } from './markdown.ts';
import type { Texts } from './messages/texts.ts';
import { statusBadge } from './status-look.ts';
import { NARROW_DAYS, uptimeHtml, uptimeRule, WIDE_DAYS } from './uptime-html.ts';

/** Status of each component as visitors see it, by id. */
export type ShownStatuses = ReadonlyMap<string, ShownStatus>;

/**
 * Maximum number of components for which groups are always open by default. On a page with more components, groups are
 * closed by default if all components are operational.
 */
const MAX_OPEN = 20;

interface Context {
  /** Path or URL of the page, without a slash at the end. */
  readonly base: string;
  readonly texts: Texts;
  readonly markdown: Markdown;
}

/** Renders the page's groups and components in order. Empty groups are omitted. */
export function componentsHtml(
  all: readonly Entry[],
  shown: ShownStatuses,
  history: PageHistory | undefined,
  { now, ...context }: Context & { readonly now: Date },
): Html | undefined {
  const { texts } = context;
  const entries = all.filter((entry) => entry.kind === 'component' || entry.components.length > 0);
  if (entries.length === 0) return undefined;
  const isShort = shown.size <= MAX_OPEN;
  const period = history
    ? html`<p class="muted"><span data-narrow="${texts.text('uptime.heading', { count: NARROW_DAYS })}">${texts.text('uptime.heading', { count: WIDE_DAYS })}</span></p>`
    : undefined;
  return html`
    <section class="section" aria-labelledby="components" data-today="${now.toISOString().slice(0, 10)}">
      <div class="over"><h2 id="components">${texts.text('components.heading')}</h2>${period}</div>
      ${runsOf(entries).map((run) => runHtml(run, { ...context, shown, history, isShort }))}
      ${history && uptimeRule(texts)}
    </section>`;
}

interface View extends Context {
  readonly shown: ShownStatuses;
  readonly history: PageHistory | undefined;
  /** Whether the page has so few components that all of them are shown. */
  readonly isShort: boolean;
}

/** Joins consecutive components without a group into one list. Each group is a separate list. */
function runsOf(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (entry.kind === 'component' && last?.[0]?.kind === 'component') last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function runHtml(run: readonly Entry[], view: View): Html {
  const [first] = run;
  if (first?.kind !== 'group') {
    const components = run.flatMap((entry) => (entry.kind === 'component' ? [entry.component] : []));
    return html`<ul class="card entries" role="list">${components.map((component) => componentHtml(component, view))}</ul>`;
  }
  const { group, components } = first;
  const statuses = components.map((component) => statusOf(component, view));
  // By default, a long page opens only the groups in which something is wrong.
  const isOpen = group.defaultOpen ?? (view.isShort || statuses.some((status) => status !== 'operational'));
  return html`
      <details class="card group"${isOpen ? ' open' : ''}>
        <summary>
          <h3 class="name"><bdi>${group.name}</bdi></h3>
          ${groupBadge(statuses, view.texts)}
        </summary>
        <ul class="entries" role="list">${components.map((component) => componentHtml(component, view))}</ul>
      </details>`;
}

/** Renders the status of a group, such as "Partial outage (1 of 15)". */
function groupBadge(statuses: readonly ShownStatus[], texts: Texts): Html {
  const status = groupStatus(statuses);
  const total = statuses.length;
  if (total < 2) return statusBadge(status, texts);
  if (status === 'operational') {
    return statusBadge(status, texts, texts.text('group.all_operational', { count: total }));
  }
  const affected = statuses.filter((one) => one === status).length;
  if (affected === 0) return statusBadge(status, texts);
  const label = texts.text(`status.${status}`);
  return statusBadge(status, texts, texts.text('group.some', { status: label, affected, total }));
}

function statusOf({ id, status }: Component, { shown }: View): ShownStatus {
  return shown.get(id) ?? status;
}

function componentHtml(component: Component, view: View): Html {
  const { id, name, description } = component;
  const bars = view.history?.get(id);
  return html`
    <li class="component">
      <a class="name" href="${view.base}/components/${id}"><bdi>${name}</bdi></a>
      ${statusBadge(statusOf(component, view), view.texts)}
      ${description ? html`<div class="muted prose" dir="auto">${view.markdown.html(description)}</div>` : undefined}${bars && uptimeHtml(bars, view.texts, false)}
    </li>`;
}
