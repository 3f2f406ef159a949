import { isId } from './is-id.ts';

/** Returns an opaque cursor that contains the last id of a page. Lists are ordered by id. */
export function writeCursor(lastId: string | undefined): string | undefined {
  return lastId && Buffer.from(lastId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Returns the id in a cursor; undefined if the cursor is invalid. */
export function readCursor(cursor: string): string | undefined {
  const hex = Buffer.from(cursor, 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isId(id) ? id : undefined;
}
