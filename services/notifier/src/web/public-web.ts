import type { RequestListener } from 'node:http';
import { ServiceError } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { MailLinks } from '../app/mail-links.ts';
import type { Deps } from '../app/ports.ts';
import { mailPages } from './mail-web.ts';
import { NOT_FOUND_PAGE, UNAVAILABLE_PAGE } from './outage-shell.ts';
import { outagePages } from './outage-web.ts';
import { type Exchange, sendPage } from './send-page.ts';

/**
 * Serves the pages that links in messages lead to: `/o/{token}` for an outage, `/m/{token}` for a recipient of emails.
 * A GET changes nothing, because programs follow links in messages. Other paths return a 404 page.
 */
export function publicWeb(deps: Deps & { readonly mailLinks: MailLinks }, logger: Logger): RequestListener {
  const pages = { o: outagePages(deps), m: mailPages(deps) };

  async function serve(exchange: Exchange): Promise<void> {
    const [path = ''] = (exchange.request.url ?? '').split('?');
    const [, kind, token = ''] = /^\/([om])\/([^/]+)$/.exec(path) ?? [];
    if (kind === 'o' || kind === 'm') await pages[kind](exchange, token);
    else sendPage(exchange, 404, NOT_FOUND_PAGE);
  }

  return (request, response) => {
    const exchange = { request, response };
    serve(exchange).catch((error: unknown) => {
      // Do not log the path, because it is secret.
      logger.error({ err: error }, 'a public page failed');
      const unavailable = error instanceof ServiceError && error.kind === 'unavailable';
      if (unavailable) response.setHeader('retry-after', '10');
      sendPage(exchange, unavailable ? 503 : 500, UNAVAILABLE_PAGE);
    });
  };
}
