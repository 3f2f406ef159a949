import { html, type Piece } from '@tocsin/html';
import type { Document, Response } from '../document/types.ts';
import { type Contents, navigationHtml } from './navigation.ts';
import { methodHtml, statusHtml } from './operation-html.ts';
import { renderPage } from './page.ts';
import { json, paragraphs, words } from './prose.ts';
import { type Resolve, resolverOf } from './resolve.ts';
import { pathOf, type Section, slugOf, titleOf } from './sections.ts';

/** Renders the first page of the documentation: what applies to all operations, and a list of operations by tag. */
export function renderIndex(document: Document, contents: Contents): string {
  const { info, servers = [], components } = document;
  const errors = errorsOf(document, resolverOf(document));
  const headers = Object.entries(components?.headers ?? {});
  return renderPage({
    title: `${info.title} API`,
    navigation: navigationHtml(contents, '/docs'),
    markdown: '/docs.md',
    content: html`<header class="intro">
      <h1>${info.title} API <span class="muted">${info.version}</span></h1>
      ${paragraphs(info.description ?? '')}
      <p>The base address is <code>${servers[0]?.url}</code>. <a href="/openapi.yaml">/openapi.yaml</a> is all of this as OpenAPI 3.1, for generators of clients, and <a href="/api/v1/openapi.json">/api/v1/openapi.json</a> the same as JSON.</p>
      <h2 id="authentication">Authentication</h2>
      <p>Send an API key or an OAuth 2.1 access token as <code>authorization: Bearer …</code> with every request. The permission that an operation needs is named with it; <code>read_write</code> includes <code>read</code>.</p>
      <h2 id="operations">Operations</h2>
      <div class="operations">${contents.sections.map(sectionHtml)}
      </div>
      ${
        headers.length > 0 &&
        html`<h2 id="headers">Headers of responses</h2>
      <ul class="fields">${headers.map(([name, { description }]) => html`<li><code class="name">${name}</code><p>${words(description)}</p></li>`)}</ul>`
      }
      ${
        errors.length > 0 &&
        html`<h2 id="errors">Errors</h2>
      <ul class="errors">${errors.map(
        ([status, response]) => html`
        <li id="error-${status}">
          <p>${statusHtml(status)} ${response.description}</p>
          ${json(response.content?.['application/json']?.example ?? null)}
        </li>`,
      )}
      </ul>`
      }
    </header>`,
  });
}

/**
 * Lists the operations of a section. The reference was once a single page, so old links point to anchors on this page.
 * The elements have the ids of these anchors. If a visitor follows an old link, the page's script redirects to the
 * `data-moved` link inside the element.
 */
function sectionHtml(section: Section): Piece {
  const path = pathOf(section.name);
  return html`
        <section>
          <h3 id="tag-${slugOf(section.name)}"><a data-moved href="${path}">${section.name}</a></h3>
          ${paragraphs(section.description)}
          <ul>${section.operations.map((described) => {
            const id = described.operation.operationId ?? '';
            return html`
            <li id="${id}"><a data-moved href="${path}#${id}">${methodHtml(described.method)} <span>${titleOf(described)}</span></a></li>`;
          })}
          </ul>
        </section>`;
}

/** Returns the error responses by status. Each is returned once, because the operations share them. */
export function errorsOf({ paths }: Document, resolve: Resolve): [status: string, response: Response][] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const responses = operations.flatMap((operation) => Object.entries(operation.responses));
  const errors = new Map(responses.filter(([status]) => status >= '400'));
  return [...errors]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([status, response]) => [status, resolve(response)]);
}
