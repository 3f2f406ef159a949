import type { ServiceImpl } from '@connectrpc/connect';
import type { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { organizationOf } from '@tocsin/runtime';
import { createStatusPage } from '../app/create-status-page.ts';
import { getStatusPage } from '../app/get-status-page.ts';
import { listLinkedComponents } from '../app/list-linked-components.ts';
import { listStatusPages } from '../app/list-status-pages.ts';
import type { PageWithTree } from '../app/page-with-tree.ts';
import type { Deps } from '../app/ports.ts';
import { replaceStructure } from '../app/replace-structure.ts';
import { updateStatusPage } from '../app/update-status-page.ts';
import { changesFromProto, entryFromProto, pageToProto, settingsFromProto, statusToProto } from './convert.ts';

/** `urlOf` gives the public address of a slug. */
export function statusPageRpc(deps: Deps, urlOf: (slug: string) => string): ServiceImpl<typeof StatusPageService> {
  const answer = ({ page, entries }: PageWithTree) => ({ statusPage: pageToProto(page, entries, urlOf(page.slug)) });
  return {
    async createStatusPage(request, context) {
      const organizationId = organizationOf(context);
      return answer(await createStatusPage(deps, { organizationId, settings: settingsFromProto(request) }));
    },
    async getStatusPage({ id }, context) {
      return answer(await getStatusPage(deps, { organizationId: organizationOf(context), id }));
    },
    async listStatusPages(_, context) {
      const pages = await listStatusPages(deps, { organizationId: organizationOf(context) });
      return { statusPages: pages.map((page) => pageToProto(page, [], urlOf(page.slug))) };
    },
    async updateStatusPage(request, context) {
      const organizationId = organizationOf(context);
      const changes = changesFromProto(request);
      return answer(await updateStatusPage(deps, { organizationId, id: request.id, changes }));
    },
    async replaceStructure({ id, entries }, context) {
      const organizationId = organizationOf(context);
      return answer(await replaceStructure(deps, { organizationId, id, entries: entries.map(entryFromProto) }));
    },
    async listLinkedComponents({ monitorId }, context) {
      const linked = await listLinkedComponents(deps, { organizationId: organizationOf(context), monitorId });
      return {
        components: linked.map(({ downStatus, ...component }) => ({
          ...component,
          downStatus: statusToProto(downStatus),
        })),
      };
    },
  };
}
