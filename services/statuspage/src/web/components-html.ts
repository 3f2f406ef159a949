import { type Html, html } from '@tocsin/html';
import { worstStatus } from '../domain/component-status.ts';
import type { Component, Entry } from '../domain/tree.ts';
import { statusBadge } from './status-look.ts';

/** Renders the page's groups and components in order, without empty groups. */
export function componentsHtml(all: readonly Entry[]): Html | undefined {
  const entries = all.filter((entry) => entry.kind === 'component' || entry.components.length > 0);
  if (entries.length === 0) return undefined;
  return html`
    <section class="section" aria-labelledby="components">
      <h2 id="components">Components</h2>
      <ul class="card entries">${entries.map(entryHtml)}</ul>
    </section>`;
}

function entryHtml(entry: Entry): Html {
  if (entry.kind === 'component') return componentHtml(entry.component);
  const { group, components } = entry;
  return html`
    <li class="group">
      <details open>
        <summary>
          <span class="name" dir="auto">${group.name}</span>
          ${statusBadge(worstStatus(components.map(({ status }) => status)))}
        </summary>
        <ul class="entries">${components.map(componentHtml)}</ul>
      </details>
    </li>`;
}

function componentHtml({ name, description, status }: Component): Html {
  return html`
    <li class="component">
      <div class="what">
        <span class="name" dir="auto">${name}</span>
        ${description ? html`<p class="muted prose" dir="auto">${description}</p>` : undefined}
      </div>
      ${statusBadge(status)}
    </li>`;
}
