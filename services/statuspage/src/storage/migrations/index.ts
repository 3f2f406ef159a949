import { outboxMigrations } from '@tocsin/outbox';
import { pages } from './001-pages.ts';
import { publishedPages } from './002-published-pages.ts';
import { customDomains } from './003-custom-domains.ts';
import { plannedEnds } from './004-planned-ends.ts';
import { monitorConditions } from './005-monitor-conditions.ts';
import { releasedSlugs } from './006-released-slugs.ts';
import { componentIntervals } from './007-component-intervals.ts';
import { automaticTitles } from './008-automatic-titles.ts';
import { showUptime } from './009-show-uptime.ts';
import { pageSettings } from './010-page-settings.ts';
import { pageLogos } from './012-page-logos.ts';
import { monitorFreshness } from './013-monitor-freshness.ts';
import { stoppedPages } from './014-stopped-pages.ts';
import { slugsOfDeletedOrganizations } from './015-slugs-of-deleted-organizations.ts';
import { announcements } from './016-announcements.ts';
import { fasterStructures } from './017-faster-structures.ts';

export const migrations = [
  ...outboxMigrations,
  pages,
  publishedPages,
  customDomains,
  plannedEnds,
  monitorConditions,
  releasedSlugs,
  componentIntervals,
  automaticTitles,
  showUptime,
  pageSettings,
  pageLogos,
  monitorFreshness,
  stoppedPages,
  slugsOfDeletedOrganizations,
  announcements,
  fasterStructures,
];
