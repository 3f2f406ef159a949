import type { FetchResponse, Netguard } from '@tocsin/netguard';
import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { checkTargetUrl } from '../check-target-url.ts';
import { checkTexts, WORD } from '../config-fields.ts';
import { readJsonResponse } from '../json-response.ts';
import { jsonRequest, post } from '../post.ts';
import { type Refusals, receiverOf } from '../refusals.ts';
import { EMOJI, headlineOf, linesOf, lookOf } from '../words.ts';

/**
 * Limits on the texts of a message. An event has at most 65,536 bytes:
 * https://spec.matrix.org/latest/client-server-api/#size-limits
 */
const MAX_HEADLINE = 600;
const MAX_VALUE = 1000;

/** Format of a room id. Before room version 12, a room id ends with a server name. */
const ROOM_ID = { pattern: /^![\x21-\x7e]{1,254}$/, mustBe: 'the id of a room such as !abc:example.com, not an alias' };

export const REFUSALS: Refusals = {
  name: 'the Matrix server',
  other: 'it refuses this user. PATCH config.access_token',
  byCode: {
    401: 'the token was revoked. PATCH config.access_token',
    403: 'the user may not write to the room. Invite it and let it join, or PATCH config.room_id',
    404: 'there is no Matrix server at this address. PATCH config.homeserver_url',
  },
};

const MATRIX = receiverOf(REFUSALS, outcomeOfMatrix);

/**
 * Sends to a room as a user. The delivery's id is the transaction id, so the server ignores repeats:
 * https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
 */
export function matrix({ guard }: { guard: Netguard }): ChannelKind {
  return {
    type: 'matrix',

    async check(config, errors) {
      await checkTargetUrl(config.homeserver_url, { field: 'config.homeserver_url', guard, errors });
      checkTexts(config, { access_token: WORD, room_id: ROOM_ID }, errors);
    },

    async send(config, notice) {
      const server = String(config.homeserver_url).replace(/\/+$/, '');
      const room = encodeURIComponent(String(config.room_id));
      const url = `${server}/_matrix/client/v3/rooms/${room}/send/m.room.message/${notice.id}`;
      const headers = { authorization: `Bearer ${config.access_token}` };
      return post(guard, { ...jsonRequest(url, matrixMessage(notice), headers), method: 'PUT' }, MATRIX);
    },
  };
}

/**
 * Returns a message in plain text. Because `m.mentions` is present, clients and servers do not search the text for
 * names.
 */
export function matrixMessage(notice: Notice) {
  const body = `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADLINE)}\n\n${linesOf(notice, MAX_VALUE)}`;
  // Clients do not notify users of messages of the type `m.notice` by default.
  return { msgtype: 'm.text', body, 'm.mentions': {} };
}

/**
 * Interprets a response from Matrix. A 200 contains the event id. A 429 from an older server contains the time to wait
 * in its body.
 */
export function outcomeOfMatrix(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus, headers } = response;
  const { event_id: eventId, retry_after_ms: wait } = readJsonResponse(response);
  if (httpStatus === 200 && typeof eventId !== 'string') {
    const error = 'the Matrix server responded with 200, but did not create an event: check homeserver_url';
    return { kind: 'failed', error, httpStatus };
  }
  if (httpStatus !== 429 || headers['retry-after'] !== undefined || typeof wait !== 'number') return undefined;
  return { kind: 'failed', error: 'the Matrix server returned 429', httpStatus, retryAfterMs: Math.max(0, wait) };
}
