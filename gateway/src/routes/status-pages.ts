import { Type } from 'typebox';
import type { Services } from '../clients/services.ts';
import { MAX_STRUCTURE_BYTES } from '../endpoint/body-limits.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { data, dataList, pageQuery } from '../schemas/common.ts';
import { required } from '../schemas/required.ts';
import {
  newPage,
  PageCreate,
  PageCreated,
  PagePatch,
  PageSchema,
  PageSummary,
  pageChanges,
  pageSummary,
  toPageJson,
} from '../schemas/status-page.ts';
import { entriesOf, StructureInput } from '../schemas/structure.ts';

const read = { tag: 'Status pages', permission: 'status_pages:read' } as const;
const write = { tag: 'Status pages', permission: 'status_pages:read_write' } as const;

export function statusPageRoutes({ pages }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/status-pages',
      summary: 'List status pages without their components, newest first',
      query: Type.Object(pageQuery),
      response: dataList(PageSummary),
      async handle({ query, as, nextPage }) {
        const { statusPages, nextCursor } = await pages.listStatusPages(query, as);
        if (nextCursor) nextPage(nextCursor);
        return { data: statusPages.map(pageSummary) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/status-pages',
      summary: 'Create a status page without components',
      body: PageCreate,
      response: data(PageCreated),
      status: 201,
      async handle({ body, as }) {
        const { statusPage } = await pages.createStatusPage(newPage(body), as);
        return { data: toPageJson(required(statusPage)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/status-pages/:id',
      summary: 'Get a status page with its groups and components',
      params: IdParams,
      response: data(PageSchema),
      isExact: true,
      async handle({ params: { id }, as }) {
        const { statusPage } = await pages.getStatusPage({ id }, as);
        return { data: toPageJson(required(statusPage)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/status-pages/:id',
      summary: 'Update a status page without its components; absent fields keep their values',
      params: IdParams,
      body: PagePatch,
      response: data(PageSchema),
      isExact: true,
      async handle({ params: { id }, body, as }) {
        const { statusPage } = await pages.updateStatusPage({ id, ...pageChanges(body) }, as);
        return { data: toPageJson(required(statusPage)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/status-pages/:id',
      summary: 'Delete a status page with its groups and components',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as }) {
        await pages.deleteStatusPage({ id }, as);
        return null;
      },
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/status-pages/:id/structure',
      summary: 'Replace all groups and components of a status page in one transaction',
      params: IdParams,
      body: StructureInput,
      maxBodyBytes: MAX_STRUCTURE_BYTES,
      response: data(PageSchema),
      isExact: true,
      async handle({ params: { id }, body, as }) {
        const { statusPage } = await pages.replaceStructure({ id, entries: entriesOf(body) }, as);
        return { data: toPageJson(required(statusPage)) };
      },
    }),
  ];
}
