import type { Wire } from './wire.ts';

/** A response that a page or the script received, as reported by the host. */
export interface ResponseData {
  /** Id for reading the body. Absent for responses to `request.…`, which include the body. */
  readonly id?: number;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Creates a response with the methods of Playwright's Response. */
export function createResponse(wire: Wire, data: ResponseData) {
  const text = async () =>
    data.id === undefined ? (data.body ?? '') : String(await wire.call('response.text', [], data.id));
  return Object.freeze({
    url: () => data.url,
    status: () => data.status,
    statusText: () => data.statusText,
    ok: () => data.status === 0 || (data.status >= 200 && data.status <= 299),
    headers: () => ({ ...data.headers }),
    request: () => ({ method: () => data.method, url: () => data.url }),
    text,
    json: async () => JSON.parse(await text()),
  });
}

export type Response = ReturnType<typeof createResponse>;
