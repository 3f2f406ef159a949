import { html } from '@tocsin/html';
import type { Document } from '../document/types.ts';
import { PageObjects } from './fields-html.ts';
import { type Contents, navigationHtml } from './navigation.ts';
import { operationHtml } from './operation-html.ts';
import { renderPage } from './page.ts';
import { paragraphs } from './prose.ts';
import { resolverOf } from './resolve.ts';
import { pathOf, sectionOf } from './sections.ts';

/** Renders the page of a tag: each operation with its parameters, body, responses and samples. */
export function renderSection(document: Document, tag: string, contents: Contents): string {
  const { info, servers = [] } = document;
  const { name, description, operations } = sectionOf(document, tag);
  const baseUrl = servers[0]?.url ?? '';
  const resolve = resolverOf(document);
  const objects = new PageObjects(resolve);
  const path = pathOf(tag);
  return renderPage({
    title: `${name} · ${info.title} API`,
    navigation: navigationHtml(contents, path),
    markdown: `${path}.md`,
    content: html`<header class="intro">
      <h1>${name}</h1>
      ${paragraphs(description)}
    </header>
    ${operations.map((operation) => operationHtml(operation, baseUrl, resolve, objects))}
    ${objects.describe()}`,
  });
}
