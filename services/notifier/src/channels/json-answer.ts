import type { FetchAnswer } from '@tocsin/netguard';

/** The object that a response holds; empty when it holds none. */
export function readJsonAnswer({ body }: FetchAnswer): Readonly<Record<string, unknown>> {
  try {
    const response: unknown = JSON.parse(body);
    return typeof response === 'object' && response !== null ? { ...response } : {};
  } catch {
    return {};
  }
}
