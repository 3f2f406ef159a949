import { type Html, html } from '@tocsin/html';
import type { PageHistory } from '../app/get-page-history.ts';
import { groupStatus, type ShownStatus } from '../domain/shown-status.ts';
import type { Component, Entry } from '../domain/tree.ts';
import { labelOf, statusBadge } from './status-look.ts';
import { UPTIME_RULE, uptimeHtml } from './uptime-html.ts';

/** Status of each component as visitors see it, by id. */
export type ShownStatuses = ReadonlyMap<string, ShownStatus>;

/**
 * Maximum number of components of a page whose groups are always open. On a larger page, the groups are closed if all
 * components of the page are operational.
 */
const MAX_OPEN = 20;

/** Renders the page's groups and components in order. Empty groups are omitted. */
export function componentsHtml(
  all: readonly Entry[],
  shown: ShownStatuses,
  history: PageHistory | undefined,
  now: Date,
): Html | undefined {
  const entries = all.filter((entry) => entry.kind === 'component' || entry.components.length > 0);
  if (entries.length === 0) return undefined;
  const isCalm = [...shown.values()].every((status) => status === 'operational');
  const isOpen = !isCalm || shown.size <= MAX_OPEN;
  const period = history
    ? html`<p class="muted"><span data-narrow="Uptime over the last 30 days">Uptime over the last 90 days</span></p>`
    : undefined;
  return html`
    <section class="section" aria-labelledby="components" data-today="${now.toISOString().slice(0, 10)}">
      <div class="over"><h2 id="components">Components</h2>${period}</div>
      ${runsOf(entries).map((run) => runHtml(run, { shown, history, isOpen }))}
      ${history && UPTIME_RULE}
    </section>`;
}

interface View {
  readonly shown: ShownStatuses;
  readonly history: PageHistory | undefined;
  readonly isOpen: boolean;
}

/** Joins consecutive components without a group into one list. Each group is a list of its own. */
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
  return html`
      <details class="card group"${view.isOpen ? ' open' : ''}>
        <summary>
          <h3 class="name" dir="auto">${group.name}</h3>
          ${groupBadge(components.map((component) => statusOf(component, view)))}
        </summary>
        <ul class="entries" role="list">${components.map((component) => componentHtml(component, view))}</ul>
      </details>`;
}

/** Renders the status of a group, such as "1 of 15 partial outage". */
function groupBadge(statuses: readonly ShownStatus[]): Html {
  const status = groupStatus(statuses);
  if (statuses.length < 2) return statusBadge(status);
  if (status === 'operational') return statusBadge(status, `All ${statuses.length} operational`);
  const count = statuses.filter((one) => one === status).length;
  if (count === 0) return statusBadge(status);
  return statusBadge(status, `${count} of ${statuses.length} ${labelOf(status).toLowerCase()}`);
}

function statusOf({ id, status }: Component, { shown }: View): ShownStatus {
  return shown.get(id) ?? status;
}

function componentHtml(component: Component, view: View): Html {
  const { id, name, description } = component;
  const bars = view.history?.get(id);
  return html`
    <li class="component">
      <span class="name" dir="auto">${name}</span>
      ${statusBadge(statusOf(component, view))}
      ${description ? html`<p class="muted prose" dir="auto">${description}</p>` : undefined}${bars && uptimeHtml(bars)}
    </li>`;
}
