import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { CHANNEL_TYPES } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import { type Refusals, receiverOf, refusalBy } from './refusals.ts';
import { WEBHOOK_REFUSALS } from './slack/slack-refusals.ts';
import { outcomeOfSlackWebhook } from './slack/slack-response.ts';

/** Returns all advice that the folders of the channels export, so that the tests include new channels. */
async function allRefusals(): Promise<{ source: string; refusals: Refusals }[]> {
  const found: { source: string; refusals: Refusals }[] = [];
  for await (const file of glob('*/*.ts', { cwd: import.meta.dirname, exclude: ['*/*.test.ts'] })) {
    const exported: Record<string, unknown> = await import(join(import.meta.dirname, file));
    for (const [name, value] of Object.entries(exported)) {
      if (isRefusals(value)) found.push({ source: `${name} in ${file}`, refusals: value });
    }
  }
  return found;
}

function isRefusals(value: unknown): value is Refusals {
  return typeof value === 'object' && value !== null && 'name' in value && 'other' in value;
}

const ALL = await allRefusals();

/**
 * Format of advice: a sentence about the cause, followed by an instruction. The instruction is to change the
 * configuration, or to repair the receiver and test the channel.
 */
const ADVICE = /^.+\. (?=[A-Z]).*(?:PATCH (?:the )?config|test the channel)/;

test('every channel type that alerts are posted to has advice, under its own receiver name', () => {
  const receivers = new Set(ALL.map(({ refusals }) => refusals.name));
  expect([...receivers]).toHaveLength(CHANNEL_TYPES.filter((type) => type !== 'email').length);
});

describe.each(ALL)('the advice of $source', ({ refusals }) => {
  test.each([401, 403, 404, 410])('the advice for status %i says what to do', (status) => {
    expect(receiverOf(refusals).adviceOn?.(status, true)).toMatch(ADVICE);
  });

  test.each(Object.entries(refusals.byCode ?? {}))('the advice for the code %s says what to do', (_, advice) => {
    expect(advice).toMatch(ADVICE);
    expect(advice).not.toMatch(/\.$/);
  });

  test('there is no advice for a status that is not final', () => {
    expect(receiverOf(refusals).adviceOn?.(400, false)).toBeUndefined();
    expect(receiverOf(refusals).adviceOn?.(503, false)).toBeUndefined();
  });
});

test.each([['toString'], ['unknown_code'], [undefined]])('the error code %s is not a refusal', (code) => {
  expect(refusalBy(WEBHOOK_REFUSALS, code, { httpStatus: 200 })).toBeUndefined();
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
