import type { FetchResponse } from '@tocsin/netguard';

/** Returns the JSON object in a response's body. Returns an empty object if the body is not a JSON object. */
export function readJsonResponse({ body }: FetchResponse): Readonly<Record<string, unknown>> {
  try {
    const response: unknown = JSON.parse(body);
    return typeof response === 'object' && response !== null ? { ...response } : {};
  } catch {
    return {};
  }
}
