import { isId } from './is-id.ts';

/** Where a page of a list ended, opaque to callers. Lists are in the order of their ids. */
export function writeCursor(lastId: string | undefined): string | undefined {
  return lastId && Buffer.from(lastId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The id that a cursor stands for; undefined for a text that is none. */
export function readCursor(cursor: string): string | undefined {
  const hex = Buffer.from(cursor, 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isId(id) ? id : undefined;
}
