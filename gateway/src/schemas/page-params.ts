import { Type } from 'typebox';

const uuid = { maxLength: 100, description: 'UUID' };

/** What is below a page, `/status-pages/:status_page_id/…`. What is not a UUID is not found. */
export const PageParams = Type.Object({ status_page_id: Type.String(uuid) });

/** One of what is below a page. */
export const PartParams = Type.Object({ status_page_id: Type.String(uuid), id: Type.String(uuid) });
