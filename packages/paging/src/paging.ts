import { FieldErrorCollector } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';

/** Which part of a list that is newest first. Ids are UUIDs of version 7, which grow with time. */
export interface Paging {
  /** Undefined: all that are left. */
  readonly limit: number | undefined;
  /** The last id of the part before; undefined: from the start. */
  readonly before: string | undefined;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  /** Undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

const MAX_LIMIT = 200;

/** What a request asks for; 0 and an empty cursor say nothing. @throws ServiceError `invalid` */
export function pagingOf(limit: number, cursor: string): Paging {
  const errors = new FieldErrorCollector();
  if (limit < 0 || limit > MAX_LIMIT) errors.add('limit', `must be between 1 and ${MAX_LIMIT}`);
  const before = readCursor(cursor);
  if (before === undefined && cursor !== '') errors.add('cursor', 'is not from the link to a next page');
  errors.throwIfAny();
  return { limit: limit || undefined, before };
}

/** The part of a whole list, in whatever order it comes. */
export function partOf<Item extends { readonly id: string }>(items: readonly Item[], paging: Paging): Part<Item> {
  const { before } = paging;
  const rest = before === undefined ? items : items.filter(({ id }) => id < before);
  return cutPart(
    rest.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    paging,
  );
}

/** The part out of what the list has left, newest first: all of it, or at least one more than the limit. */
export function cutPart<Item extends { readonly id: string }>(rest: readonly Item[], { limit }: Paging): Part<Item> {
  const items = rest.slice(0, limit);
  return { items, nextCursor: items.length < rest.length ? writeCursor(items.at(-1)?.id) : undefined };
}
