import type { ServiceImpl } from '@connectrpc/connect';
import { locales } from '@tocsin/enums';
import { SubscribeOutcome, type SubscriberService } from '@tocsin/proto/notifier/v1/subscriber';
import { organizationOf } from '@tocsin/runtime';
import type { Deps } from '../app/ports.ts';
import { subscribe } from '../app/subscribe.ts';

const OUTCOMES = {
  accepted: SubscribeOutcome.ACCEPTED,
  invalid_address: SubscribeOutcome.INVALID_ADDRESS,
  full: SubscribeOutcome.FULL,
};

export function subscriberRpc(deps: Deps): ServiceImpl<typeof SubscriberService> {
  return {
    async subscribe({ statusPageId: id, pageName: name, pageUrl: url, locale, address: entered }, context) {
      const organizationId = organizationOf(context);
      const page = { id, organizationId, name, url, locale: locales.findName(locale) ?? 'en' };
      return { outcome: OUTCOMES[await subscribe(deps, { page, entered })] };
    },
  };
}
