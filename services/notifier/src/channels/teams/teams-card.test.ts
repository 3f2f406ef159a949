import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { outcomeOfConnector } from './teams.ts';
import { teamsCard } from './teams-card.ts';

const cardOf = (notice: typeof longest) => teamsCard(notice).attachments[0]?.content;

test('a down alert is a message with one Adaptive Card', () => {
  expect(teamsCard(notices.down)).toEqual({
    type: 'message',
    summary: '🔴 Shop is down',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: '🔴 Shop is down',
              size: 'Large',
              weight: 'Bolder',
              color: 'Attention',
              wrap: true,
            },
            {
              type: 'FactSet',
              facts: [
                { title: 'Error', value: 'status 502, expected 200' },
                { title: 'Since', value: '2026-11-20T03:00:00Z' },
                { title: 'Checks', value: 'https://shop.example.com/health\\_check' },
              ],
            },
            { type: 'TextBlock', text: 'Sent by Tocsin to Ops', size: 'Small', isSubtle: true, wrap: true },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Details', url: 'https://tocsin.example.com/o/t1' }],
        },
      },
    ],
  });
});

test.each([
  [notices.recovered, '🟢 Shop is up again', 'Good'],
  [notices.stale, '⚪ Shop has no recent data', 'Default'],
  [notices.certExpiring, '🟠 Shop has a certificate that expires in 7 days', 'Warning'],
  [notices.test, '🔔 Test alert came through', 'Accent'],
])('an alert of kind $kind has its own text and color', (notice, text, color) => {
  expect(cardOf(notice)?.body[0]).toMatchObject({ text, color });
});

test('a test message has no FactSet, because Teams refuses an empty one', () => {
  expect(cardOf(notices.test)?.body.map(({ type }) => type)).toEqual(['TextBlock', 'TextBlock']);
});

test('text from a tenant is never interpreted as markup', () => {
  const text = JSON.stringify(cardOf(hostile)?.body);
  expect(text).toContain('\\\\*\\\\*bold\\\\*\\\\* \\\\[link\\\\](https://evil.example)');
  expect(text).toContain('\\\\<@U1\\\\>');
});

test('a card with the longest texts is smaller than 28 KB', () => {
  const card = JSON.stringify(teamsCard(longest));
  expect(Buffer.byteLength(card, 'utf16le')).toBeLessThan(28 * 1024);
  expect(card.isWellFormed()).toBe(true);
});

const inside = (status: number) =>
  `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId x`;

test.each([
  [200, inside(429), { kind: 'failed', httpStatus: 429 }],
  [200, inside(413), { kind: 'failed', httpStatus: 413 }],
  [200, 'Webhook message delivery failed', { kind: 'failed', httpStatus: 200 }],
  [200, '1', undefined],
  [202, '', undefined],
])("a connector's response with status %i and the body %s has the outcome %j", (status, body, outcome) => {
  const judged = outcomeOfConnector({ status, headers: {}, body, truncated: false });
  if (outcome) expect(judged).toMatchObject(outcome);
  else expect(judged).toBeUndefined();
});
