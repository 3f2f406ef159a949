import { expect, test } from 'vitest';
import { outcomeOfConnector } from './teams.ts';

test.each([
  [200, '1', undefined],
  [200, 'Bad payload received by generic incoming webhook.', 'failed'],
  [200, 'Webhook message delivery failed with error: … returned HTTP error 429 with ContextId', 'failed'],
  [400, 'Bad request', undefined],
])("a connector's response with status %i and the body %j has the outcome %s", (status, body, kind) => {
  expect(outcomeOfConnector({ status, headers: {}, body, truncated: false })?.kind).toBe(kind);
});
