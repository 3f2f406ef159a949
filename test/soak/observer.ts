import { setTimeout as sleep } from 'node:timers/promises';
import type { PageView } from './evidence.ts';

/** Reads the states of the monitors through the API, and views the status page, each once a second. */
export interface Observer extends AsyncDisposable {
  readonly views: readonly PageView[];
  /** Number of failed attempts to view the page. */
  readonly failures: number;
  /** Returns the state that the API last returned for a monitor; undefined if there was none. */
  stateOf(monitorId: string): string | undefined;
}

const EVERY_MS = 1_000;
const TIMEOUT_MS = 5_000;

export function observe(options: { baseUrl: string; apiKey: string; slug: string }): Observer {
  const { baseUrl, apiKey, slug } = options;
  const views: PageView[] = [];
  const states = new Map<string, string>();
  const stop = new AbortController();
  let failures = 0;

  async function request(path: string, headers: Record<string, string>): Promise<string> {
    const response = await fetch(`${baseUrl}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    return text;
  }
  async function readStates(): Promise<void> {
    const text = await request('/api/v1/monitors?limit=100', { authorization: `Bearer ${apiKey}` });
    const { data } = JSON.parse(text) as { data: { id: string; current_state: string }[] };
    for (const { id, current_state: state } of data) states.set(id, state);
  }
  async function viewPage(): Promise<void> {
    try {
      const page = await request(`/s/${slug}`, { accept: 'text/html' });
      views.push({ at: Date.now(), ...readPage(page) });
    } catch {
      failures += 1;
    }
  }
  async function watch(look: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      // The API may be unavailable during a fault; the next attempt may succeed.
      await look().catch(() => undefined);
      await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }
  const watching = Promise.all([watch(readStates), watch(viewPage)]);
  return {
    views,
    get failures() {
      return failures;
    },
    stateOf: (monitorId) => states.get(monitorId),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

const COMPONENT = /<bdi>([^<]*)<\/bdi><\/a>\s*<span class="status is-([a-z_]+)"/g;
const AS_OF = '<p class="card as-of" role="status">';

/** Reads the statuses of a page, and whether the page says that it may be outdated or that nothing is checked. */
export function readPage(page: string): Omit<PageView, 'at'> {
  const components = [...page.matchAll(COMPONENT)].map(([, name = '', status = '']) => ({ name, status }));
  if (components.length === 0) throw new Error('the page shows no component');
  return {
    isQualified: page.includes(AS_OF) || /Nothing has been checked since|not known since/.test(page),
    green: components.filter(({ status }) => status === 'operational').map(({ name }) => name),
  };
}
