import type { MailLinks } from '../app/mail-links.ts';
import { followMailLink, readMailLink } from '../app/mail-subscriptions.ts';
import type { Deps } from '../app/ports.ts';
import { confirmedPage, questionPage, unsubscribedPage } from './mail-pages.ts';
import { NOT_FOUND_PAGE } from './outage-shell.ts';
import { type Exchange, readForm, refuseMethod, sendPage } from './send-page.ts';

/**
 * Handles links in emails. A GET shows the action of the link. A POST performs the action, which confirms or
 * unsubscribes a recipient. Email programs can unsubscribe with a POST without showing the page (RFC 8058).
 */
export function mailPages(
  deps: Deps & { readonly mailLinks: MailLinks },
): (exchange: Exchange, token: string) => Promise<void> {
  return async (exchange, token) => {
    const { method } = exchange.request;
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
