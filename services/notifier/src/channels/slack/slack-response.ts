import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../../domain/outcome.ts';
import { readJsonResponse } from '../json-response.ts';
import { refusalBy } from '../refusals.ts';
import { BOT_REFUSALS, WEBHOOK_REFUSALS } from './slack-refusals.ts';

const CODE = /^[a-z_]{1,64}$/;

/**
 * Interprets a response from Slack's API. A failed call also gets a 200, and only the body shows whether the call
 * succeeded. HTTP errors are handled by status.
 */
export function outcomeOfSlackApi(response: FetchResponse): Outcome | undefined {
  const { status: httpStatus } = response;
  const { ok, error } = readJsonResponse(response);
  if (httpStatus >= 300 || ok === true) return undefined;
  // Show only an error code, which is a single word, and no other text.
  const code = typeof error === 'string' && CODE.test(error) ? error : 'something that is not understood';
  return (
    refusalBy(BOT_REFUSALS, code, { httpStatus }) ?? { kind: 'failed', error: `Slack returned ${code}`, httpStatus }
  );
}

/**
 * Interprets a webhook response. A 200 may contain an error code, so only `ok` is a success. For other statuses, a
 * known code in the body determines the error.
 */
export function outcomeOfSlackWebhook({ status: httpStatus, body }: FetchResponse): Outcome | undefined {
  const text = body.trim();
  if (httpStatus === 200 && text === 'ok') return undefined;
  if (httpStatus === 429 || httpStatus >= 500) return undefined;
  const code = CODE.test(text) ? text : undefined;
  const refusal = refusalBy(WEBHOOK_REFUSALS, code, { httpStatus, shown: `${httpStatus} ${code}` });
  if (refusal || httpStatus !== 200) return refusal;
  const error =
    code === undefined
      ? 'Slack responded with 200, but not with "ok": is webhook_url a webhook?'
      : `Slack returned 200 ${code}`;
  return { kind: 'failed', error, httpStatus };
}
