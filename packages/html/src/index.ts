export { Html, html, type Piece } from './html.ts';
export {
  asOfNotice,
  checkedTime,
  contentVersion,
  PAGE_HEADERS,
  PAGE_HOST_PATH,
  pageTag,
  showAsOf,
  TLS_ASK_PATH,
  withoutCheckedTime,
} from './public-page.ts';
