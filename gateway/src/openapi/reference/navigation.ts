import { type Html, html } from '@tocsin/html';
import type { Guide } from './guides.ts';
import { methodHtml } from './operation-html.ts';
import { pathOf, type Section, titleOf } from './sections.ts';

/** All pages of the documentation. */
export interface Contents {
  readonly guides: readonly Guide[];
  readonly sections: readonly Section[];
}

/** Renders the links to all pages, and to the operations of the current section. */
export function navigationHtml({ guides, sections }: Contents, currentPath: string): Html {
  const link = (path: string, name: string) =>
    html`<a href="${path}"${path === currentPath && html` aria-current="page"`}>${name}</a>`;
  const guideList = (isShort: boolean) => html`<ul>${guides
    .filter((guide) => guide.isShort === isShort)
    .map(
      ({ name, title }) => html`
          <li>${link(`/docs/guides/${name}`, title)}</li>`,
    )}
        </ul>`;
  return html`
        <h2>Guides</h2>
        ${guideList(true)}
        <h2><a href="/docs">API reference</a></h2>
        <ul>${sections.map((section) => {
          const path = pathOf(section.name);
          return html`
          <li>${link(path, section.name)}${path === currentPath && operationsHtml(section)}</li>`;
        })}
        </ul>
        <h2>Details</h2>
        ${guideList(false)}`;
}

function operationsHtml({ operations }: Section): Html {
  return html`
            <ul>${operations.map(
              (described) => html`
              <li><a href="#${described.operation.operationId ?? ''}">${methodHtml(described.method)} <span>${titleOf(described)}</span></a></li>`,
            )}
            </ul>`;
}
