export { Html, html, type Piece } from './html.ts';
export { asOfNotice, PAGE_HEADERS, showAsOf } from './public-page.ts';
