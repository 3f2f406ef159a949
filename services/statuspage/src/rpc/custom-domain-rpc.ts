import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { domainStatuses } from '@tocsin/enums';
import { type CustomDomainSchema, DnsRecordType } from '@tocsin/proto/statuspage/v1/custom_domain';
import type { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { organizationOf } from '@tocsin/runtime';
import {
  type DomainWithRecords,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
  verifyCustomDomain,
} from '../app/custom-domains.ts';
import type { Deps } from '../app/ports.ts';

type Methods = 'setCustomDomain' | 'getCustomDomain' | 'verifyCustomDomain' | 'removeCustomDomain';

/** Returns the RPC handlers for custom domains. */
export function customDomainRpc(deps: Deps): Pick<ServiceImpl<typeof StatusPageService>, Methods> {
  return {
    async setCustomDomain(request, context) {
      const { domain } = request;
      return { customDomain: toProto(await setCustomDomain(deps, { ...pageOf(request, context), domain })) };
    },
    async getCustomDomain(request, context) {
      return { customDomain: toProto(await getCustomDomain(deps, pageOf(request, context))) };
    },
    async verifyCustomDomain(request, context) {
      return { customDomain: toProto(await verifyCustomDomain(deps, pageOf(request, context))) };
    },
    async removeCustomDomain(request, context) {
      await removeCustomDomain(deps, pageOf(request, context));
      return {};
    },
  };
}

function pageOf({ statusPageId }: { statusPageId: string }, context: HandlerContext) {
  return { organizationId: organizationOf(context), pageId: statusPageId };
}

function toProto({ domain, records }: DomainWithRecords): MessageInitShape<typeof CustomDomainSchema> {
  return {
    domain: domain.name,
    status: domainStatuses.toValue(domain.status),
    ...(domain.unprovenSince && { unprovenSince: timestampFromDate(domain.unprovenSince) }),
    records: records.map(({ type, ...record }) => ({ type: DnsRecordType[type], ...record })),
  };
}
