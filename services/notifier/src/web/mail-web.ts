import { findPageOfLink, followSubscriberLink, isOver } from '../app/follow-subscriber-link.ts';
import type { MailLinks } from '../app/mail-links.ts';
import { followMailLink, readMailLink } from '../app/mail-subscriptions.ts';
import type { Deps } from '../app/ports.ts';
import type { SubscriberLink } from '../app/subscriber-links.ts';
import { confirmedPage, questionPage, unsubscribedPage } from './mail-pages.ts';
import { NOT_FOUND_PAGE } from './outage-shell.ts';
import { type Exchange, readForm, refuseMethod, sendPage } from './send-page.ts';
import { subscriberDonePage, subscriberQuestionPage } from './subscriber-pages.ts';

/**
 * Handles links in emails to recipients of alert channels and to subscribers of status pages. A GET shows the action of
 * the link. A POST performs the action, which confirms or unsubscribes. Email programs can unsubscribe with a POST
 * without showing the page (RFC 8058).
 */
export function mailPages(
  deps: Deps & { readonly mailLinks: MailLinks },
): (exchange: Exchange, token: string) => Promise<void> {
  return async (exchange, token) => {
    const { method } = exchange.request;
    const link = await deps.subscriberLinks.read(token);
    if (link) return subscriberPages(deps, exchange, link);
    if (method === 'GET' || method === 'HEAD') {
      const question = await readMailLink(deps, token);
      const status = question === undefined ? 404 : question.kind === 'expired' ? 410 : 200;
      sendPage(exchange, status, question ? questionPage(question) : NOT_FOUND_PAGE);
    } else if (method === 'POST') {
      const form = await readForm(exchange.request);
      const done = await followMailLink(deps, { token, takeBack: form.has('again') });
      if (done === undefined) sendPage(exchange, 404, NOT_FOUND_PAGE);
      else sendPage(exchange, 200, done === 'confirmed' ? confirmedPage() : unsubscribedPage());
    } else refuseMethod(exchange);
  };
}

async function subscriberPages(deps: Deps, exchange: Exchange, link: SubscriberLink): Promise<void> {
  const { method } = exchange.request;
  if (method === 'POST') {
    await readForm(exchange.request);
    // Read before the action, which may be the last one that knows the page.
    const page = await findPageOfLink(deps, link);
    const outcome = await followSubscriberLink(deps, link);
    sendPage(exchange, outcome === 'expired' ? 410 : 200, subscriberDonePage(page, outcome));
  } else if (method === 'GET' || method === 'HEAD') {
    const page = await findPageOfLink(deps, link);
    if (await isOver(deps, link)) sendPage(exchange, 410, subscriberDonePage(page, 'expired'));
    else sendPage(exchange, 200, subscriberQuestionPage(page, link.kind));
  } else refuseMethod(exchange);
}
