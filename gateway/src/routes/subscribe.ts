import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PageSubscribers, SubscriptionOutcome } from '../clients/page-subscribers.ts';
import { sendPlainPage } from '../endpoint/plain-page.ts';
import type { AddressWindows } from '../plugins/address-windows.ts';
import { sendUnavailable } from './page-proxy.ts';

/** Number of forms that an address may send per minute. */
export const SUBSCRIPTIONS_PER_MINUTE = 5;

/** Maximum size in bytes of a form. */
const MAX_FORM_BYTES = 2_048;

/** Pages below a status page that show the outcome. statuspage renders them in the language of the page. */
const STEPS: Readonly<Record<Exclude<SubscriptionOutcome, 'no_page'>, string>> = {
  accepted: 'sent',
  invalid: 'invalid',
  full: 'full',
};

/**
 * Adds the routes of the form with which visitors subscribe to a status page by mail. `windows` counts the forms of
 * each network address. The response is the same whether the mail address is new or not.
 */
export async function addSubscriptions(
  app: FastifyInstance,
  subscribers: PageSubscribers,
  windows: AddressWindows,
): Promise<void> {
  async function limit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const now = Date.now();
    const seconds = windows.retryAfter(request.ip, now);
    if (seconds === undefined) {
      windows.record(request.ip, now);
      return undefined;
    }
    reply.header('retry-after', String(seconds));
    const text = `Your network has sent too many forms within a minute. Please try again in ${seconds} seconds.`;
    return sendPlainPage(reply, 429, 'Too many requests', text);
  }

  async function subscribe(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { slug } = request.params as { slug?: string };
    const form = new URLSearchParams(String(request.body ?? ''));
    try {
      const name = { host: request.hostname.toLowerCase(), slug };
      const outcome = await subscribers.subscribe(name, form.get('address') ?? '');
      if (outcome === 'no_page') {
        const text = 'There is no status page here, or it has no updates by mail.';
        return sendPlainPage(reply, 404, 'There is nothing at this address', text);
      }
      const base = slug === undefined ? '' : `/s/${encodeURIComponent(slug)}`;
      reply.header('cache-control', 'no-store');
      return reply.redirect(`${base}/subscribe/${STEPS[outcome]}`, 303);
    } catch (error) {
      const isUnavailable = error instanceof ServiceError && ['unavailable', 'deadline'].includes(error.kind);
      if (!isUnavailable) throw error;
      request.log.warn({ err: error }, 'a visitor can not be subscribed now');
      return sendUnavailable(reply, 'status pages');
    }
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const form = { parseAs: 'string', bodyLimit: MAX_FORM_BYTES } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, body, done) => done(null, body));
    for (const url of ['/s/:slug/subscribe', '/subscribe']) {
      const route = { url, config: { isPage: true }, schema: { hide: true }, bodyLimit: MAX_FORM_BYTES };
      scope.route({ ...route, method: 'POST', onRequest: limit, handler: subscribe });
    }
  });
}
