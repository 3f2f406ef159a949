import type { CallOptions } from '@connectrpc/connect';
import type { Services } from '../clients/services.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyQuery, ApiKeySchema, newApiKey, toApiKeyJson } from '../schemas/api-key.ts';
import { data, dataList } from '../schemas/common.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'API keys', permission: 'api_keys:read' } as const;
const write = { tag: 'API keys', permission: 'api_keys:read_write' } as const;

export function apiKeyRoutes({ apiKeys }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/api-keys',
      summary: 'List API keys, newest first',
      query: ApiKeyQuery,
      response: dataList(ApiKeySchema),
      async handle({ query, as, nextPage }) {
        const page = await apiKeys.listApiKeys(query, as);
        if (page.nextCursor) nextPage(page.nextCursor);
        return { data: page.apiKeys.map(toApiKeyJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key; only this response contains it',
      body: ApiKeyCreate,
      response: data(ApiKeyCreated),
      status: 201,
      async handle({ body, as, address }) {
        const { apiKey, key } = await apiKeys.issueApiKey(newApiKey(body), withAddress(as, address));
        return { data: { ...toApiKeyJson(required(apiKey)), key } };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/api-keys/:id',
      summary: 'Get an API key, without the key itself',
      params: IdParams,
      response: data(ApiKeySchema),
      async handle({ params: { id }, as }) {
        const { apiKey } = await apiKeys.getApiKey({ id }, as);
        return { data: toApiKeyJson(required(apiKey)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/api-keys/:id',
      summary: 'Revoke an API key',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as, address }) {
        await apiKeys.revokeApiKey({ id }, withAddress(as, address));
        return null;
      },
    }),
  ];
}

/** Adds the address of the client to call options, for the audit log. */
function withAddress(as: CallOptions, address: string): CallOptions {
  const headers = new Headers(as.headers);
  headers.set('x-forwarded-for', address);
  return { ...as, headers };
}
