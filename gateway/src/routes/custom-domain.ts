import type { Services } from '../clients/services.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { data } from '../schemas/common.ts';
import { CustomDomainInput, CustomDomainSchema, toCustomDomainJson } from '../schemas/custom-domain.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Status pages', permission: 'status_pages:read' } as const;
const write = { tag: 'Status pages', permission: 'status_pages:read_write' } as const;

const PATH = '/status-pages/:id/custom-domain';

export function customDomainRoutes({ pages }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: PATH,
      summary: 'Get the custom domain of a status page with the DNS records that verify it',
      params: IdParams,
      response: data(CustomDomainSchema),
      async handle({ params: { id: statusPageId }, as }) {
        const { customDomain } = await pages.getCustomDomain({ statusPageId }, as);
        return { data: toCustomDomainJson(required(customDomain)) };
      },
    }),
    route({
      ...write,
      method: 'PUT',
      path: PATH,
      summary: 'Set the custom domain of a status page; it has to be verified then',
      params: IdParams,
      body: CustomDomainInput,
      response: data(CustomDomainSchema),
      async handle({ params: { id: statusPageId }, body: { domain }, as }) {
        const { customDomain } = await pages.setCustomDomain({ statusPageId, domain }, as);
        return { data: toCustomDomainJson(required(customDomain)) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: `${PATH}/verify`,
      isWaiting: true,
      summary: 'Verify the custom domain in DNS; it becomes active or failed',
      params: IdParams,
      response: data(CustomDomainSchema),
      async handle({ params: { id: statusPageId }, as }) {
        const { customDomain } = await pages.verifyCustomDomain({ statusPageId }, as);
        return { data: toCustomDomainJson(required(customDomain)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: PATH,
      summary: 'Remove the custom domain of a status page',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id: statusPageId }, as }) {
        await pages.removeCustomDomain({ statusPageId }, as);
        return null;
      },
    }),
  ];
}
