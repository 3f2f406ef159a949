import type { NatsConnection } from '@nats-io/transport-node';
import { backoff, type Runtime, startLoop, type Tls } from '@tocsin/runtime';
import { Counter, Gauge } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import type { PageParts } from './add-pages.ts';
import { connectPageSource } from './fetch-page.ts';
import { followChanges } from './follow-changes.ts';
import { LiveVisitors } from './live-visitors.ts';
import { PageCache } from './page-cache.ts';
import { PageHosts } from './page-hosts.ts';
import { RecentAnswers } from './recent-answers.ts';

/**
 * Delays between attempts to refresh a page. They are short enough that every page is current again within 5 s after an
 * outage.
 */
const RETRY = { base: 250, limit: 2_000 };

const REFRESH_WATCHED_EVERY_MS = 1_000;

export interface Pages extends PageParts, AsyncDisposable {}

/** Starts the cache of public pages, which consumes change events from NATS. */
export function startPages(
  config: Pick<GatewayConfig, 'baseUrl' | 'statuspageUrl' | 'pageCacheBytes' | 'pageMaxAgeMs' | 'liveVisitors'>,
  runtime: Runtime,
  nats: NatsConnection,
  tls?: Tls,
): Pages {
  const registers = [runtime.metrics];
  const refreshes = new Counter({
    name: 'tocsin_page_refreshes_total',
    help: 'Requests for public pages to the statuspage service, by result.',
    labelNames: ['result'],
    registers,
  });
  const stack = new AsyncDisposableStack();
  const source = stack.use(
    connectPageSource(
      config.statuspageUrl,
      (error) => runtime.logger.warn({ err: error }, 'a page can not be refreshed'),
      tls,
    ),
  );
  const visitors = stack.use(new LiveVisitors(config.liveVisitors, (key) => cache.checkedAt(key)));
  // The value is stored in a variable, because the property is slow to read. The time is monotonic. With the system
  // clock, pages would count as current for too long after an operator sets the clock to an earlier time.
  const startOfProcess = performance.timeOrigin;
  const now = () => startOfProcess + performance.now();
  const cache = new PageCache({
    async fetch(address, version) {
      const fetched = await source.fetch(address, version);
      refreshes.inc({ result: fetched.kind });
      return fetched;
    },
    now,
    retryDelay: (failures) => backoff(failures, RETRY.base, RETRY.limit),
    maxBytes: config.pageCacheBytes,
    maxAgeMs: config.pageMaxAgeMs,
    onChange: (key, etag) => visitors.send(key, etag),
  });
  const pageHosts = new RecentAnswers({ ask: (host) => source.isPageHost(host), now });
  const hosts = new PageHosts({ installationHost: new URL(config.baseUrl).hostname, answers: pageHosts });
  const certificates = new RecentAnswers({ ask: (domain) => source.mayHaveCertificate(domain), now });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('tocsin_page_cache_bytes', 'Size of the public pages in memory.', () => cache.size.bytes);
  gauge('tocsin_page_cache_pages', 'Number of public pages in memory.', () => cache.size.pages);
  gauge('tocsin_live_visitors', 'Visitors who are notified when a public page changes.', () => visitors.count);
  followChanges(nats, { cache, answers: [pageHosts, certificates] });
  stack.use(
    startLoop('refreshing watched pages', REFRESH_WATCHED_EVERY_MS, runtime, async () => {
      cache.refreshWatched();
      return 'done';
    }),
  );
  return { cache, hosts, certificates, visitors, tls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
