import type { FetchResponse } from '@tocsin/netguard';

/** Returns the JSON object in a response's body; an empty object if there is none. */
export function readJsonResponse({ body }: FetchResponse): Readonly<Record<string, unknown>> {
  try {
    const response: unknown = JSON.parse(body);
    return typeof response === 'object' && response !== null ? { ...response } : {};
  } catch {
    return {};
  }
}
