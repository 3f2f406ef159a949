import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { AlertKind } from '../../domain/alert.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, isPresent, textOf } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import { type Refusals, receiverOf, refusalBy } from '../refusals.ts';
import { headlineOf, linesOf } from '../words.ts';

const MAX_TITLE = 250;
const MAX_VALUE = 1000;

const KEY = { pattern: /^[\w-]{1,128}$/, mustBe: '1 to 128 letters, digits, - or _', optional: true };
const URLS = { pattern: /^\P{Cc}{1,4096}$/u, mustBe: 'at most 4096 characters without line breaks', optional: true };
const TAG = { pattern: /^[\w ,:-]{1,255}$/, mustBe: 'at most 255 letters, digits, spaces or , : - _', optional: true };

export const REFUSALS: Refusals = {
  name: 'the Apprise server',
  other: 'it refuses this request. PATCH config.server_url',
  byCode: {
    204: 'it has no services for that. PATCH config.key, config.tag or config.urls',
    404: 'there is no Apprise API at this address. PATCH config.server_url',
  },
};

const APPRISE = receiverOf(REFUSALS, outcomeOfApprise);

/** Types of Apprise messages by kind of alert. The type selects the color and picture. Other kinds are warnings. */
const TYPE_OF: Partial<Record<AlertKind, 'info' | 'success' | 'failure'>> = {
  monitor_down: 'failure',
  monitor_recovered: 'success',
  incident_closed: 'success',
  test: 'info',
};

/**
 * Sends through an Apprise API server, either to the services of a configuration stored there or to the services of
 * given URLs: https://github.com/caronc/apprise-api
 */
export function apprise({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'apprise',

    async check(config, errors) {
      await checkTargetUrl(config.server_url, { field: 'config.server_url', guard, errors });
      checkTexts(config, { key: KEY, urls: URLS, tag: TAG }, errors);
      if (isPresent(config.key) === isPresent(config.urls))
        errors.add('config.key', 'is required, unless urls is given; both exclude each other');
    },

    async send(config, notice) {
      const server = String(config.server_url).replace(/\/+$/, '');
      const [key, urls, tag] = [textOf(config, 'key'), textOf(config, 'urls'), textOf(config, 'tag')];
      const message = { ...appriseMessage(notice), ...(urls && { urls }), ...(tag && { tag }) };
      const path = key === undefined ? '/notify' : `/notify/${key}`;
      return post(guard, jsonRequest(`${server}${path}`, message), APPRISE);
    },
  };
}

/** Returns a message in plain text. Apprise escapes it for services that use markup. */
export function appriseMessage(notice: Notice) {
  return {
    title: withoutMentions(headlineOf(notice, MAX_TITLE)),
    body: withoutMentions(linesOf(notice, MAX_VALUE)),
    type: TYPE_OF[notice.kind] ?? 'warning',
    format: 'text',
  };
}

/** Inserts zero-width spaces, because Apprise turns `@name` and `<@id>` into mentions on some services. */
function withoutMentions(text: string): string {
  return text.replaceAll(/(?<![\w/:.])@(?=\S)/g, '@\u200b');
}

/**
 * Interprets a response. A 204 means that no service is configured. A 424 means that some services failed. A retry goes
 * to all services, so the services that accepted the message receive it again.
 */
export function outcomeOfApprise({ status: httpStatus }: FetchResponse): Outcome | undefined {
  if (httpStatus === 204) return refusalBy(REFUSALS, 204, { httpStatus });
  if (httpStatus !== 424) return undefined;
  return { kind: 'failed', error: 'the Apprise server returned 424: some services did not take it', httpStatus };
}
