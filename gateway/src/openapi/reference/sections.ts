import type { Document } from '../document/types.ts';
import type { DescribedOperation } from './operation-html.ts';

/** The operations of a tag. Each section is one page of the reference. */
export interface Section {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/** Returns the sections of a document in the order of its tags, without tags that have no operations. */
export function sectionsOf({ paths, tags = [] }: Document): Section[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const described = new Map(tags.map(({ name, description = '' }) => [name, description]));
  const names = new Set([...described.keys(), ...operations.map(tagOf)]);
  return [...names]
    .map((name) => ({
      name,
      description: described.get(name) ?? '',
      operations: operations.filter((operation) => tagOf(operation) === name),
    }))
    .filter((section) => section.operations.length > 0);
}

/**
 * Returns the section of a tag.
 * @throws Error if no operation has the tag.
 */
export function sectionOf(document: Document, tag: string): Section {
  const section = sectionsOf(document).find(({ name }) => name === tag);
  if (!section) throw new Error(`no operation has the tag ${tag}`);
  return section;
}

/** Returns the path of a tag's page. */
export function pathOf(tag: string): string {
  return `/docs/reference/${slugOf(tag)}`;
}

/** Returns the form of a tag's name that paths and anchors use. */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Returns the short title of an operation: its summary up to the first comma or semicolon. */
export function titleOf({ operation: { summary = '' } }: DescribedOperation): string {
  return summary.split(/[,;]/)[0] ?? '';
}

function tagOf({ operation }: DescribedOperation): string {
  return operation.tags?.[0] ?? 'Other';
}
