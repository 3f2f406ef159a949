import { FieldErrorCollector } from '@tocsin/errors';
import { readCursor, writeCursor } from '@tocsin/text';

/** Paging of a list that is sorted newest first. Ids are UUIDs of version 7, which increase with time. */
export interface Paging {
  /** Maximum number of items, from 1 to 1000. */
  readonly limit: number;
  /** Id of the last item that the caller already has; undefined for the first part of the list. */
  readonly before: string | undefined;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  /** Cursor with which a caller requests the next part; undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

/** Maximum and default number of items in a part of a list. Each response contains one part. */
export const MAX_LIMIT = 1_000;

/** Size in bytes at which a part ends. The last item of a part may exceed it. */
export const MAX_PART_BYTES = 2 * 1024 * 1024;

/**
 * Parses the paging in a request. A limit of 0 and an empty cursor count as absent.
 * @throws ServiceError `invalid` if the limit is out of range or the cursor is invalid.
 */
export function pagingOf(limit: number, cursor: string): Paging {
  const errors = new FieldErrorCollector();
  if (limit < 0 || limit > MAX_LIMIT) errors.add('limit', `must be between 1 and ${MAX_LIMIT}`);
  const before = readCursor(cursor);
  if (before === undefined && cursor !== '') errors.add('cursor', 'is not from the link to a next page');
  errors.throwIfAny();
  return { limit: limit || MAX_LIMIT, before };
}

/** Returns the requested part of a list. `items` are all items of the list, in any order. */
export function partOf<Item extends { readonly id: string }>(items: readonly Item[], paging: Paging): Part<Item> {
  const { before } = paging;
  const rest = before === undefined ? items : items.filter(({ id }) => id < before);
  return cutPart(
    rest.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    paging,
  );
}

/**
 * Returns the next part. `rest` must contain the remaining items, newest first. It may end after `limit` + 1 items.
 */
export function cutPart<Item extends { readonly id: string }>(rest: readonly Item[], { limit }: Paging): Part<Item> {
  const items = rest.slice(0, limit);
  return { items, nextCursor: items.length < rest.length ? writeCursor(items.at(-1)?.id) : undefined };
}

/** Returns the first items, up to and including the item that reaches MAX_PART_BYTES. */
export function withinPartBytes<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[] {
  let bytes = 0;
  return items.filter((item) => {
    const fits = bytes < MAX_PART_BYTES;
    bytes += bytesOf(item);
    return fits;
  });
}
