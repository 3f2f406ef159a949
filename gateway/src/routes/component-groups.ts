import { Type } from 'typebox';
import type { Services } from '../clients/services.ts';
import { NoContent, type Route, route } from '../endpoint/route.ts';
import { data, dataList, pageQuery } from '../schemas/common.ts';
import {
  GroupCreate,
  GroupCreated,
  GroupPatch,
  GroupSchema,
  groupChanges,
  newGroup,
  toGroupJson,
} from '../schemas/component.ts';
import { PageParams, PartParams } from '../schemas/page-params.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Status pages', permission: 'status_pages:read' } as const;
const write = { tag: 'Status pages', permission: 'status_pages:read_write' } as const;

const ALL = '/status-pages/:status_page_id/component-groups';
const ONE = `${ALL}/:id`;

export function componentGroupRoutes({ components }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: ALL,
      summary: 'List the groups of a status page with their components, newest first',
      params: PageParams,
      query: Type.Object(pageQuery),
      response: dataList(GroupSchema),
      async handle({ params, query, as, nextPage }) {
        const request = { statusPageId: params.status_page_id, ...query };
        const { groups, nextCursor } = await components.listGroups(request, as);
        if (nextCursor) nextPage(nextCursor);
        return { data: groups.map(toGroupJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: ALL,
      summary: 'Create an empty group; without a position it is the last',
      params: PageParams,
      body: GroupCreate,
      response: data(GroupCreated),
      status: 201,
      async handle({ params: { status_page_id: statusPageId }, body, as }) {
        const { group } = await components.createGroup({ statusPageId, ...newGroup(body) }, as);
        return { data: toGroupJson(required(group)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: ONE,
      summary: 'Get a group with its components',
      params: PartParams,
      response: data(GroupSchema),
      async handle({ params: { status_page_id: statusPageId, id }, as }) {
        const { group } = await components.getGroup({ statusPageId, id }, as);
        return { data: toGroupJson(required(group)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: ONE,
      summary: 'Update a group; absent fields keep their values',
      params: PartParams,
      body: GroupPatch,
      response: data(GroupSchema),
      async handle({ params: { status_page_id: statusPageId, id }, body, as }) {
        const { group } = await components.updateGroup({ statusPageId, id, ...groupChanges(body) }, as);
        return { data: toGroupJson(required(group)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a group; its components take its place, ungrouped',
      params: PartParams,
      response: NoContent,
      status: 204,
      async handle({ params: { status_page_id: statusPageId, id }, as }) {
        await components.deleteGroup({ statusPageId, id }, as);
        return null;
      },
    }),
  ];
}
