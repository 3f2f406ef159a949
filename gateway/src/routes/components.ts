import { Type } from 'typebox';
import type { Services } from '../clients/services.ts';
import { NoContent, type Route, route } from '../endpoint/route.ts';
import { data, dataList, pageQuery } from '../schemas/common.ts';
import {
  ComponentCreate,
  ComponentPatch,
  ComponentSchema,
  componentChanges,
  newComponent,
  toComponentJson,
} from '../schemas/component.ts';
import { PageParams, PartParams } from '../schemas/page-params.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Status pages', permission: 'status_pages:read' } as const;
const write = { tag: 'Status pages', permission: 'status_pages:read_write' } as const;

const ALL = '/status-pages/:status_page_id/components';
const ONE = `${ALL}/:id`;

export function componentRoutes({ components }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: ALL,
      summary: 'List the components of a status page, newest first',
      params: PageParams,
      query: Type.Object(pageQuery),
      response: dataList(ComponentSchema),
      async handle({ params, query, as, nextPage }) {
        const request = { statusPageId: params.status_page_id, ...query };
        const response = await components.listComponents(request, as);
        if (response.nextCursor) nextPage(response.nextCursor);
        return { data: response.components.map(toComponentJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: ALL,
      summary: 'Create a component; without a position it is the last',
      params: PageParams,
      body: ComponentCreate,
      response: data(ComponentSchema),
      status: 201,
      async handle({ params, body, as }) {
        const request = { statusPageId: params.status_page_id, ...newComponent(body) };
        const { component } = await components.createComponent(request, as);
        return { data: toComponentJson(required(component)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: ONE,
      summary: 'Get a component',
      params: PartParams,
      response: data(ComponentSchema),
      async handle({ params: { status_page_id: statusPageId, id }, as }) {
        const { component } = await components.getComponent({ statusPageId, id }, as);
        return { data: toComponentJson(required(component)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: ONE,
      summary: 'Update or move a component; absent fields keep their values',
      params: PartParams,
      body: ComponentPatch,
      response: data(ComponentSchema),
      async handle({ params: { status_page_id: statusPageId, id }, body, as }) {
        const { component } = await components.updateComponent({ statusPageId, id, ...componentChanges(body) }, as);
        return { data: toComponentJson(required(component)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a component',
      params: PartParams,
      response: NoContent,
      status: 204,
      async handle({ params: { status_page_id: statusPageId, id }, as }) {
        await components.deleteComponent({ statusPageId, id }, as);
        return null;
      },
    }),
  ];
}
