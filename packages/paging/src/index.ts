export {
  cutPart,
  MAX_LIMIT,
  MAX_PART_BYTES,
  type Paging,
  type Part,
  pagingOf,
  partOf,
  withinPartBytes,
} from './paging.ts';
