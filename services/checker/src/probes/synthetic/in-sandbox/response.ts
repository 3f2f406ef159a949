import type { Wire } from './wire.ts';

/** What the host reports of a response that a page, or the script itself, received. */
export interface ResponseFacts {
  /** Absent for `request.…`, whose body is here already. */
  readonly id?: number;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response as scripts know it from Playwright. */
export function createResponse(wire: Wire, facts: ResponseFacts) {
  const text = async () =>
    facts.id === undefined ? (facts.body ?? '') : String(await wire.call('response.text', [], facts.id));
  return Object.freeze({
    url: () => facts.url,
    status: () => facts.status,
    statusText: () => facts.statusText,
    ok: () => facts.status === 0 || (facts.status >= 200 && facts.status <= 299),
    headers: () => ({ ...facts.headers }),
    request: () => ({ method: () => facts.method, url: () => facts.url }),
    text,
    json: async () => JSON.parse(await text()),
  });
}

export type Response = ReturnType<typeof createResponse>;
