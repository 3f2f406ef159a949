import { type Html, html } from '@tocsin/html';
import { groupStatus, type ShownStatus } from '../domain/shown-status.ts';
import type { Component, Entry } from '../domain/tree.ts';
import { statusBadge } from './status-look.ts';

/** Status of each component as visitors see it, by id. */
export type ShownStatuses = ReadonlyMap<string, ShownStatus>;

/** Renders the page's groups and components in order. Empty groups are omitted. */
export function componentsHtml(all: readonly Entry[], shown: ShownStatuses): Html | undefined {
  const entries = all.filter((entry) => entry.kind === 'component' || entry.components.length > 0);
  if (entries.length === 0) return undefined;
  return html`
    <section class="section" aria-labelledby="components">
      <h2 id="components">Components</h2>
      <ul class="card entries">${entries.map((entry) => entryHtml(entry, shown))}</ul>
    </section>`;
}

function entryHtml(entry: Entry, shown: ShownStatuses): Html {
  const statusOf = ({ id, status }: Component) => shown.get(id) ?? status;
  if (entry.kind === 'component') return componentHtml(entry.component, statusOf(entry.component));
  const { group, components } = entry;
  return html`
    <li class="group">
      <details open>
        <summary>
          <span class="name" dir="auto">${group.name}</span>
          ${statusBadge(groupStatus(components.map(statusOf)))}
        </summary>
        <ul class="entries">${components.map((component) => componentHtml(component, statusOf(component)))}</ul>
      </details>
    </li>`;
}

function componentHtml({ name, description }: Component, status: ShownStatus): Html {
  return html`
    <li class="component">
      <div class="what">
        <span class="name" dir="auto">${name}</span>
        ${description ? html`<p class="muted prose" dir="auto">${description}</p>` : undefined}
      </div>
      ${statusBadge(status)}
    </li>`;
}
