import { SubscribeOutcome, SubscriberService } from '@tocsin/proto/notifier/v1/subscriber';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, createTransport, forOrganization, type Tls, type TokenSource } from '@tocsin/runtime';
import type { GatewayConfig } from '../config.ts';

/** Public address of a page: its host, or a host with several pages and the slug of one of them. */
export interface PageName {
  readonly host: string;
  readonly slug: string | undefined;
}

export type SubscriptionOutcome = 'accepted' | 'invalid' | 'full' | 'no_page';

/** Subscribes visitors to status pages by mail. */
export interface PageSubscribers {
  /**
   * Subscribes an address. Returns `no_page` if there is no public page at this name, or if it takes no subscribers.
   * @throws ServiceError `unavailable` or `deadline`
   */
  subscribe(name: PageName, address: string): Promise<SubscriptionOutcome>;
}

const OUTCOMES: ReadonlyMap<SubscribeOutcome, SubscriptionOutcome> = new Map([
  [SubscribeOutcome.ACCEPTED, 'accepted'],
  [SubscribeOutcome.INVALID_ADDRESS, 'invalid'],
  [SubscribeOutcome.FULL, 'full'],
]);

const TIMEOUT_MS = 5_000;

/** Returns a client that finds pages at statuspage, and subscribes at notifier. */
export function remotePageSubscribers(
  { statuspageUrl, notifierUrl }: Pick<GatewayConfig, 'statuspageUrl' | 'notifierUrl'>,
  tokens: TokenSource,
  tls?: Tls,
): PageSubscribers {
  const transport = (service: string, url: string) =>
    createTransport({ url, service, tokens, tls, timeoutMs: TIMEOUT_MS });
  const pages = createRpcClient(StatusPageService, transport('statuspage', statuspageUrl));
  const subscribers = createRpcClient(SubscriberService, transport('notifier', notifierUrl));
  return {
    async subscribe({ host, slug }, address) {
      const { page } = await pages.findSubscribablePage({ host, ...(slug !== undefined && { slug }) });
      if (!page) return 'no_page';
      const { id: statusPageId, name: pageName, url: pageUrl, locale, organizationId } = page;
      const request = { statusPageId, pageName, pageUrl, locale, address };
      const { outcome } = await subscribers.subscribe(request, forOrganization(organizationId));
      const known = OUTCOMES.get(outcome);
      if (!known) throw new Error(`notifier returned an unknown outcome of a subscription: ${outcome}`);
      return known;
    },
  };
}
