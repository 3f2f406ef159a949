import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { componentStatuses, locales } from '@tocsin/enums';
import { pagingOf } from '@tocsin/paging';
import { ReplaceStructureResponseSchema, type StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { idempotencyIdOf, limitsOf, organizationOf, serializeEarly } from '@tocsin/runtime';
import { findSubscribablePage } from '../app/get-public-page.ts';
import {
  listLinkedComponents,
  listLinkedMonitors,
  type PageLink,
  pageLinks,
  resolveComponents,
} from '../app/monitor-links.ts';
import { determineViews, readPageViews } from '../app/page-views.ts';
import type { Deps } from '../app/ports.ts';
import {
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  listStatusPages,
  type PageDetails,
  updateStatusPage,
} from '../app/status-pages.ts';
import { replaceStructure } from '../app/structure.ts';
import { NO_VIEW } from '../domain/page-view.ts';
import { pageUrl, publicUrl } from '../domain/public-url.ts';
import { changesFromProto, entryFromProto, pageToProto, settingsFromProto } from '../wire/page.ts';
import { customDomainRpc } from './custom-domain-rpc.ts';

export function statusPageRpc(deps: Deps): ServiceImpl<typeof StatusPageService> {
  const urlOf = (slug: string) => publicUrl(slug, deps.address);
  const response = async ({ page, entries, logoError = '', viewInputs }: PageDetails) => {
    const views = await determineViews(deps, page.organizationId, [page.id], viewInputs);
    const view = views.get(page.id) ?? NO_VIEW;
    return { statusPage: { ...pageToProto(page, entries, { url: urlOf(page.slug), view }), logoError } };
  };
  return {
    async createStatusPage(request, context) {
      const organizationId = organizationOf(context);
      const idempotencyId = idempotencyIdOf(context);
      const limit = limitsOf(context).status_pages;
      const input = { organizationId, idempotencyId, limit, settings: settingsFromProto(request) };
      return response(await createStatusPage(deps, input));
    },
    async getStatusPage({ id }, context) {
      return response(await getStatusPage(deps, { organizationId: organizationOf(context), id }));
    },
    async listStatusPages({ limit, cursor }, context) {
      const paging = pagingOf(limit, cursor);
      const organizationId = organizationOf(context);
      const { items, nextCursor = '' } = await listStatusPages(deps, { organizationId, paging });
      const views = await readPageViews(
        deps,
        organizationId,
        items.map(({ id }) => id),
      );
      const statusPages = items.map((page) =>
        pageToProto(page, [], { url: urlOf(page.slug), view: views.get(page.id) ?? NO_VIEW }),
      );
      return { statusPages, nextCursor };
    },
    async updateStatusPage(request, context) {
      const organizationId = organizationOf(context);
      const changes = changesFromProto(request);
      return response(await updateStatusPage(deps, { organizationId, id: request.id, changes }));
    },
    async deleteStatusPage({ id }, context) {
      await deleteStatusPage(deps, { organizationId: organizationOf(context), id });
      return {};
    },
    ...customDomainRpc(deps),
    async replaceStructure({ id, entries }, context) {
      const organizationId = organizationOf(context);
      const wanted = { organizationId, id, entries: entries.map(entryFromProto) };
      return replaceStructure(deps, wanted, async (details) => {
        const replaced = create(ReplaceStructureResponseSchema, await response(details));
        serializeEarly(ReplaceStructureResponseSchema, replaced);
        return replaced;
      });
    },
    async resolveComponents({ statusPageId, ids }, context) {
      const organizationId = organizationOf(context);
      return { components: await resolveComponents(deps, { organizationId, statusPageId, ids }) };
    },
    async findSubscribablePage({ host, slug }) {
      const page = await findSubscribablePage(deps, { host: host.toLowerCase(), slug });
      if (!page) return {};
      const { id, organizationId, name, locale } = page;
      return { page: { id, organizationId, name, url: pageUrl(page, deps.address), locale: locales.toValue(locale) } };
    },
    async listLinkedMonitors({ componentIds }, context) {
      const organizationId = organizationOf(context);
      return { monitorIds: await listLinkedMonitors(deps, { organizationId, componentIds }) };
    },
    async listLinkedComponents({ monitorId }, context) {
      const linked = await listLinkedComponents(deps, { organizationId: organizationOf(context), monitorId });
      return { components: linked.map((component) => linkedToWire(component, deps)) };
    },
    async listPageLinks({ statusPageId, monitorIds }, context) {
      const links = await pageLinks(deps, { organizationId: organizationOf(context), statusPageId, monitorIds });
      return {
        links: links.map(({ monitorId, component }) => ({ monitorId, component: linkedToWire(component, deps) })),
      };
    },
  };
}

function linkedToWire({ id, name, statusPageId, downStatus, publicSlug }: PageLink['component'], { address }: Deps) {
  return {
    id,
    name,
    statusPageId,
    downStatus: componentStatuses.toValue(downStatus),
    statusPageUrl: publicSlug === undefined ? '' : publicUrl(publicSlug, address),
  };
}
