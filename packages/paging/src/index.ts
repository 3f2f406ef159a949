export { cutPart, type Paging, type Part, pagingOf, partOf } from './paging.ts';
