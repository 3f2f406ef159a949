import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { pagingOf } from '@tocsin/paging';
import type { ComponentService } from '@tocsin/proto/statuspage/v1/component';
import { idempotencyIdOf, organizationOf } from '@tocsin/runtime';
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from '../app/component-groups.ts';
import { createComponent, deleteComponent, getComponent, listComponents, updateComponent } from '../app/components.ts';
import { readPageViews } from '../app/page-views.ts';
import type { Deps } from '../app/ports.ts';
import { NO_VIEW, type PageView } from '../domain/page-view.ts';
import type { Component } from '../domain/tree.ts';
import {
  componentChangesFromProto,
  groupChangesFromProto,
  newComponentFromProto,
  newGroupFromProto,
} from '../wire/component.ts';
import { componentToProto, groupToProto } from '../wire/page.ts';

export function componentRpc(deps: Deps): ServiceImpl<typeof ComponentService> {
  /** Returns the statuses that visitors see. */
  async function viewOf(request: { statusPageId: string }, context: HandlerContext): Promise<PageView> {
    const { organizationId, pageId } = pageOf(request, context);
    const id = pageId.toLowerCase();
    return (await readPageViews(deps, organizationId, [id])).get(id) ?? NO_VIEW;
  }
  async function shown(request: { statusPageId: string }, context: HandlerContext, component: Promise<Component>) {
    return componentToProto(await component, await viewOf(request, context));
  }
  return {
    async listGroups(request, context) {
      const paging = pagingOf(request.limit, request.cursor);
      const { items, nextCursor = '' } = await listGroups(deps, { ...pageOf(request, context), paging });
      const view = await viewOf(request, context);
      return { groups: items.map(({ group, components }) => groupToProto(group, components, view)), nextCursor };
    },
    async createGroup(request, context) {
      const input = { ...toCreate(request, context), input: newGroupFromProto(request) };
      const { group, components } = await createGroup(deps, input);
      const view = await viewOf(request, context);
      return { group: groupToProto(group, components, view) };
    },
    async getGroup(request, context) {
      const { group, components } = await getGroup(deps, partOf(request, context));
      const view = await viewOf(request, context);
      return { group: groupToProto(group, components, view) };
    },
    async updateGroup(request, context) {
      const changes = groupChangesFromProto(request);
      const { group, components } = await updateGroup(deps, { ...partOf(request, context), changes });
      const view = await viewOf(request, context);
      return { group: groupToProto(group, components, view) };
    },
    async deleteGroup(request, context) {
      await deleteGroup(deps, partOf(request, context));
      return {};
    },
    async listComponents(request, context) {
      const paging = pagingOf(request.limit, request.cursor);
      const { items, nextCursor = '' } = await listComponents(deps, { ...pageOf(request, context), paging });
      const view = await viewOf(request, context);
      return { components: items.map((component) => componentToProto(component, view)), nextCursor };
    },
    async createComponent(request, context) {
      const input = { ...toCreate(request, context), input: newComponentFromProto(request) };
      return { component: await shown(request, context, createComponent(deps, input)) };
    },
    async getComponent(request, context) {
      return { component: await shown(request, context, getComponent(deps, partOf(request, context))) };
    },
    async updateComponent(request, context) {
      const changes = componentChangesFromProto(request);
      return {
        component: await shown(request, context, updateComponent(deps, { ...partOf(request, context), changes })),
      };
    },
    async deleteComponent(request, context) {
      await deleteComponent(deps, partOf(request, context));
      return {};
    },
  };
}

/** Returns the organization id and the page id that identify the page of a request. */
function pageOf({ statusPageId }: { statusPageId: string }, context: HandlerContext) {
  return { organizationId: organizationOf(context), pageId: statusPageId };
}

/** Returns the ids that identify the page of a request that creates something, and the request. */
function toCreate(request: { statusPageId: string }, context: HandlerContext) {
  return { ...pageOf(request, context), idempotencyId: idempotencyIdOf(context) };
}

/**
 * Returns the ids that identify the group or component of a request. The id of the group or component is converted to
 * lower case, because the domain code compares these ids as strings.
 */
function partOf(request: { statusPageId: string; id: string }, context: HandlerContext) {
  return { ...pageOf(request, context), id: request.id.toLowerCase() };
}
