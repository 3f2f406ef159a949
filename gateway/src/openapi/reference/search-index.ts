import type { Document, Parameter, Schema } from '../document/types.ts';
import { anchorOf } from './guides.ts';
import type { Contents } from './navigation.ts';
import { type Resolve, resolverOf } from './resolve.ts';
import { pathOf } from './sections.ts';

/** An operation or a heading of a guide that the search can find. */
export interface SearchEntry {
  readonly title: string;
  /** Text shown below the title: an operation's method and path, or a guide's title. */
  readonly context: string;
  readonly path: string;
  /** Additional search terms: the id and the fields of an operation. */
  readonly words: string;
}

/** Returns every operation with its fields, and every heading in the guides. */
export function searchIndex(document: Document, { guides, sections }: Contents): SearchEntry[] {
  const resolve = resolverOf(document);
  const operations = sections.flatMap(({ name, operations: described }) =>
    described.map(({ method, path, operation }): SearchEntry => {
      const { operationId = '', summary = '', parameters = [], requestBody } = operation;
      const names = new Set(parameters.map((parameter) => resolve<Parameter>(parameter).name));
      const success = Object.entries(operation.responses).find(([status]) => status < '300')?.[1];
      for (const content of [requestBody?.content, success && resolve(success).content])
        for (const { schema } of Object.values(content ?? {})) collectFields(schema, resolve, names);
      return {
        title: summary,
        context: `${method.toUpperCase()} ${path}`,
        path: `${pathOf(name)}#${operationId}`,
        words: [name, operationId, ...names].join(' '),
      };
    }),
  );
  const headings = guides.flatMap(({ name, title, markdown }) =>
    [...withoutCode(markdown).matchAll(/^#{1,3} (.+)$/gm)].map(([, heading = '']): SearchEntry => {
      const text = heading.replaceAll('`', '');
      const isTitle = heading === title;
      const path = `/docs/guides/${name}${isTitle ? '' : `#${anchorOf(heading)}`}`;
      return { title: text, context: isTitle ? 'Guide' : title, path, words: '' };
    }),
  );
  return [...operations, ...headings];
}

/** Adds to `names` all field names in a schema, including those of nested fields and variants. */
function collectFields(reference: Schema, resolve: Resolve, names: Set<string>): void {
  const { properties = {}, items, oneOf = [], anyOf = [] } = resolve(reference);
  for (const name of Object.keys(properties)) names.add(name);
  for (const part of [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...anyOf])
    collectFields(part, resolve, names);
}

/** Removes code blocks, because their comment lines look like headings. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```$/gms, '');
}
