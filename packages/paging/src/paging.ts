import { FieldErrorCollector } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';

/** Which part of a list that is newest first. Ids are UUIDs of version 7, which grow with time. */
export interface Paging {
  /** Items at most, 1 to 1000. */
  readonly limit: number;
  /** The last id of the previous part; undefined: from the start. */
  readonly before: string | undefined;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  /** Undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

/** Items of one part, and of one without a limit. */
export const MAX_LIMIT = 1_000;

/** Size of what the items of a part hold, so that large items make short parts. */
export const MAX_PART_BYTES = 2 * 1024 * 1024;

/** Returns what a request asks for. 0 and an empty cursor stand for absent ones. @throws ServiceError `invalid` */
export function pagingOf(limit: number, cursor: string): Paging {
  const errors = new FieldErrorCollector();
  if (limit < 0 || limit > MAX_LIMIT) errors.add('limit', `must be between 1 and ${MAX_LIMIT}`);
  const before = readCursor(cursor);
  if (before === undefined && cursor !== '') errors.add('cursor', 'is not from the link to a next page');
  errors.throwIfAny();
  return { limit: limit || MAX_LIMIT, before };
}

/** Returns the part of a whole list, which may come in any order. */
export function partOf<Item extends { readonly id: string }>(items: readonly Item[], paging: Paging): Part<Item> {
  const { before } = paging;
  const rest = before === undefined ? items : items.filter(({ id }) => id < before);
  return cutPart(
    rest.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    paging,
  );
}

/**
 * Returns the part out of the rest of a list, newest first. `rest` is all that is left, or at least one item more than
 * the limit.
 */
export function cutPart<Item extends { readonly id: string }>(rest: readonly Item[], { limit }: Paging): Part<Item> {
  const items = rest.slice(0, limit);
  return { items, nextCursor: items.length < rest.length ? writeCursor(items.at(-1)?.id) : undefined };
}

/** Returns the first items whose predecessors together stay below the size of a part; at least one. */
export function withinPartBytes<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[] {
  let bytes = 0;
  return items.filter((item) => {
    const fits = bytes < MAX_PART_BYTES;
    bytes += bytesOf(item);
    return fits;
  });
}
