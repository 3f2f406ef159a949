export { Html, html, type Piece } from './html.ts';
export {
  asOfNotice,
  checkedTime,
  contentVersion,
  PAGE_HEADERS,
  PAGE_HOST_PATH,
  pageTag,
  showAsOf,
  withoutCheckedTime,
} from './public-page.ts';
