import { Type } from 'typebox';

const uuid = { maxLength: 100, description: 'UUID' };

/**
 * Parameters of paths below a page, `/status-pages/:status_page_id/…`. A request with an id that is not a UUID gets a
 * 404.
 */
export const PageParams = Type.Object({ status_page_id: Type.String(uuid) });

/** Parameters of a single resource below a page. */
export const PartParams = Type.Object({ status_page_id: Type.String(uuid), id: Type.String(uuid) });
