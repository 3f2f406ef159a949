import { describe, expect, test } from 'vitest';
import { REFUSALS, receiverOf, refusalBy } from './refusals.ts';
import { outcomeOfSlackWebhook } from './slack/slack-response.ts';

const TYPES = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
/**
 * Format of advice: a sentence about the cause, followed by an instruction. The instruction is to change the
 * configuration, or to repair the receiver and test the channel.
 */
const ADVICE = /^.+\. (?=[A-Z]).*(?:PATCH (?:the )?config|test the channel)/;

describe.each(TYPES)('the advice about a refusal by %s', (type) => {
  test.each([401, 403, 404, 410])('the advice for status %i says what to do', (status) => {
    expect(receiverOf(type).adviceOn?.(status, true)).toMatch(ADVICE);
  });

  test.each(Object.entries(REFUSALS[type].byCode ?? {}))('the advice for the code %s says what to do', (_, advice) => {
    expect(advice).toMatch(ADVICE);
    expect(advice).not.toMatch(/\.$/);
  });

  test('there is no advice for a status that is not final', () => {
    expect(receiverOf(type).adviceOn?.(400, false)).toBeUndefined();
    expect(receiverOf(type).adviceOn?.(503, false)).toBeUndefined();
  });
});

test.each([['toString'], ['unknown_code'], [undefined]])('the error code %s is not a refusal', (code) => {
  expect(refusalBy('slack', code, { httpStatus: 200 })).toBeUndefined();
});

test.each([
  [
    404,
    'no_service',
    'Slack returned 404 no_service: the webhook was deleted. Create a new one and PATCH config.webhook_url',
  ],
  [
    200,
    'no_team',
    'Slack returned 200 no_team: the workspace does not exist. Create a new one and PATCH config.webhook_url',
  ],
])('status %i with the code %s from a Slack webhook is a refusal with the error: %s', (status, body, error) => {
  expect(outcomeOfSlackWebhook({ status, headers: {}, body, truncated: false })).toMatchObject({
    kind: 'refused',
    error,
  });
});

test.each([
  [404, '<html>', undefined],
  [429, 'no_service', undefined],
  [503, 'no_service', undefined],
  [200, 'ok', undefined],
  [200, 'rollup_error', 'failed'],
  [200, '<html>', 'failed'],
])('status %i with the body %s from a Slack webhook has the outcome %s', (status, body, kind) => {
  expect(outcomeOfSlackWebhook({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});
