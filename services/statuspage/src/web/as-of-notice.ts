import { asOfNotice, type Html, html } from '@tocsin/html';

/** Hidden notice of every status page. The gateway or the page's script shows it if the page may be outdated. */
export const AS_OF_NOTICE: Html = asOfNotice(
  (time) => html`This page can not be updated at the moment. It shows what was known as of ${time}.`,
);
