import { createHash } from 'node:crypto';
import { Html, html } from '@tocsin/html';
import type { Document, Response } from '../document/types.ts';
import { type Guide, guideLinks } from './guides.ts';
import { type DescribedOperation, methodHtml, operationHtml, statusHtml } from './operation-html.ts';
import { json, paragraphs, words } from './prose.ts';
import { type Resolve, resolverOf } from './resolve.ts';
import { STYLES } from './styles.ts';

/** Content security policy. It allows the inline style sheet, and no scripts or other resources. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLES).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Section {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/** Renders the reference as one self-contained page: all operations, grouped by tag, with links to the guides. */
export function renderDocs(document: Document, guides: readonly Guide[] = []): string {
  const { info, servers = [] } = document;
  const baseUrl = servers[0]?.url ?? '';
  const resolve = resolverOf(document);
  const sections = sectionsOf(document);
  const navigation = html`<nav aria-label="Operations">${guides.length > 0 && guideLinks(guides)}${sections.map(navigationHtml)}</nav>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${info.title} API</title>
  ${new Html(`<style>${STYLES}</style>`)}
</head>
<body>
  <a class="skip" href="#content">To the content</a>
  <details class="menu"><summary>${info.title} API: all operations</summary>${navigation}</details>
  <div class="side"><p class="brand"><a href="#content">${info.title} API</a></p>${navigation}</div>
  <main id="content">
    ${introHtml(document, baseUrl, resolve)}
    ${sections.map(
      ({ id, name, description, operations }) => html`
    <section class="tag" id="${id}" aria-labelledby="${id}-title">
      <header><h2 id="${id}-title">${name}</h2>${paragraphs(description)}</header>
      ${operations.map((operation) => operationHtml(operation, baseUrl, resolve))}
    </section>`,
    )}
  </main>
</body>
</html>
`;
  return page.toString();
}

function sectionsOf({ paths, tags = [] }: Document): Section[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const described = new Map(tags.map(({ name, description = '' }) => [name, description]));
  const names = new Set([...described.keys(), ...operations.map(tagOf)]);
  return [...names].map((name) => ({
    id: `tag-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
    name,
    description: described.get(name) ?? '',
    operations: operations.filter((operation) => tagOf(operation) === name),
  }));
}

function tagOf({ operation }: DescribedOperation): string {
  return operation.tags?.[0] ?? 'Other';
}

function navigationHtml({ id, name, operations }: Section): Html {
  return html`
        <h2><a href="#${id}">${name}</a></h2>
        <ul>${operations.map(
          ({ method, operation: { operationId = '', summary = '' } }) => html`
          <li><a href="#${operationId}">${methodHtml(method)} <span>${summary.split(/[,;]/)[0]}</span></a></li>`,
        )}
        </ul>`;
}

function introHtml({ info, paths, components }: Document, baseUrl: string, resolve: Resolve): Html {
  const errors = errorsOf(paths, resolve);
  const headers = Object.entries(components?.headers ?? {});
  return html`
    <header class="intro">
      <h1>${info.title} API <span class="muted">${info.version}</span></h1>
      ${paragraphs(info.description ?? '')}
      <p>The base address is <code>${baseUrl}</code>. <a href="/openapi.yaml">/openapi.yaml</a> is all of this as OpenAPI 3.1, for generators of clients.</p>
      <h2 id="authentication">Authentication</h2>
      <p>Send an API key or an OAuth 2.1 access token as <code>authorization: Bearer …</code> with every request. The permission that an operation needs is named with it; <code>read_write</code> includes <code>read</code>.</p>
      ${
        headers.length > 0
          ? html`<h2 id="headers">Headers of answers</h2>
      <ul class="fields">${headers.map(([name, { description }]) => html`<li><code class="name">${name}</code><p>${words(description)}</p></li>`)}</ul>`
          : undefined
      }
      ${
        errors.length > 0
          ? html`<h2 id="errors">Errors</h2>
      <ul class="errors">${errors.map(
        ([status, response]) => html`
        <li id="error-${status}">
          <p>${statusHtml(status)} ${response.description}</p>
          ${json(response.content?.['application/json']?.example ?? null)}
        </li>`,
      )}
      </ul>`
          : undefined
      }
    </header>`;
}

/** Returns each error response once, by status, because all operations share them. */
function errorsOf(paths: Document['paths'], resolve: Resolve): [status: string, answer: Response][] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const responses = operations.flatMap(({ responses }) => Object.entries(responses));
  const errors = new Map(responses.filter(([status]) => status >= '400'));
  return [...errors]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([status, response]) => [status, resolve(response)]);
}
