import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installed } from './installation.ts';

/** Milliseconds before a request without a response is repeated. */
const RETRY_AFTER_MS = 100;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
}

/** Sends requests to an installation, and records those that failed. */
export class Requester {
  readonly #installed: Installed;
  readonly #retries: number;
  /** Requests that failed, with the time and the reason. */
  readonly failures: string[] = [];
  count = 0;

  /** @param retries Maximum number of times that a request is repeated if a program was killed while handling it. */
  constructor(installed: Installed, retries: number) {
    this.#installed = installed;
    this.#retries = retries;
  }

  /** Sends a request and returns `data` of the response; undefined if the request failed. */
  async send(request: Request): Promise<unknown> {
    this.count += 1;
    const { method, path, body } = request;
    const began = new Date().toISOString();
    const key = randomUUID();
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(request, key);
      if (outcome.status !== undefined && outcome.status < 300) return outcome.data;
      // A program may be killed between a change and its response. The idempotency key makes it safe to repeat the
      // request. A repeated request is refused while the gateway waits for the interrupted request.
      const isInterrupted = outcome.status === undefined || (body && [409, 503].includes(outcome.status));
      if (!isInterrupted || attempt >= this.#retries) {
        this.failures.push(`${began} ${method} ${path}: ${outcome.reason}`);
        return undefined;
      }
      await sleep(RETRY_AFTER_MS);
    }
  }

  async #attempt(
    { method, path, body }: Request,
    key: string,
  ): Promise<{ status?: number; data?: unknown; reason: string }> {
    const { baseUrl, apiKey } = this.#installed;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(method === 'POST' && { 'idempotency-key': key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return {
        status: response.status,
        data: isJson ? JSON.parse(text).data : text,
        reason: `${response.status} ${text.slice(0, 200)} (request ${response.headers.get('x-request-id')})`,
      };
    } catch (error) {
      return { reason: error instanceof Error ? `${error.message}: ${error.cause}` : String(error) };
    }
  }
}

/**
 * Calls `step` at intervals until `stop` is called. Does not wait for a step to end before the next one. `stop` waits
 * for all steps.
 */
export function repeat(everyMs: number, step: (index: number) => Promise<void>): { stop(): Promise<void> } {
  const pending = new Set<Promise<void>>();
  const stopped = new AbortController();
  const running = (async () => {
    for (let index = 0; !stopped.signal.aborted; index += 1) {
      const promise = step(index).finally(() => pending.delete(promise));
      pending.add(promise);
      await sleep(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await Promise.all(pending);
  })();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
