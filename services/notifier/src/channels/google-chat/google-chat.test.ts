import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { googleChatMessage, outcomeOfGoogleChat } from './google-chat.ts';

const cardOf = (message: ReturnType<typeof googleChatMessage>) => message.cardsV2[0]?.card;
const textsOf = (message: ReturnType<typeof googleChatMessage>) =>
  cardOf(message)?.sections[0]?.widgets.flatMap((widget) =>
    'decoratedText' in widget ? [[widget.decoratedText.topLabel, widget.decoratedText.text]] : [],
  );

test('a down alert is a card with its details and a link', () => {
  const message = googleChatMessage(notices.down);
  expect(message.fallbackText).toBe('🔴 Shop is down');
  expect(cardOf(message)?.header).toEqual({ title: '🔴 Shop is down' });
  expect(textsOf(message)).toEqual([
    ['Error', 'status 502, expected 200'],
    ['Since', '2026-11-20T03:00:00Z'],
    ['Checks', 'https://shop.example.com/health_check'],
  ]);
  expect(cardOf(message)?.sections[0]?.widgets.at(-1)).toEqual({
    buttonList: {
      buttons: [{ text: 'Details', onClick: { openLink: { url: 'https://tocsin.example.com/o/t1' } } }],
    },
  });
});

test.each([
  [notices.recovered, '🟢 Shop is up again'],
  [notices.stale, '⚪ Shop has no recent data'],
  [notices.certExpiring, '🟠 Shop has a certificate that expires in 7 days'],
  [notices.test, '🔔 Test alert came through'],
])('an alert of kind $kind has its own headline', (notice, title) => {
  expect(cardOf(googleChatMessage(notice))?.header).toEqual({ title });
});

test('tenant text never becomes a mention or markup in a card', () => {
  const error = '<users/all> <b>bold</b> <a href="https://evil.example">x</a> &amp;';
  expect(textsOf(googleChatMessage({ ...hostile, error }))?.[0]).toEqual([
    'Error',
    '&lt;users/all&gt; &lt;b&gt;bold&lt;/b&gt; &lt;a href=&quot;https://evil.example&quot;&gt;x&lt;/a&gt; &amp;amp;',
  ]);
});

test('the longest message has fewer than 32,000 bytes', () => {
  expect(Buffer.byteLength(JSON.stringify(googleChatMessage({ ...longest, error: '"'.repeat(5_000) })))).toBeLessThan(
    32_000,
  );
});

test.each([
  [200, '{"name":"spaces/A/messages/B"}', false, undefined],
  [200, '{"name":"spaces/A/mess', true, undefined],
  [200, '{}', false, 'failed'],
  [200, '<html>Sign in</html>', false, 'failed'],
  [400, '{"error":{"status":"INVALID_ARGUMENT"}}', false, undefined],
])('a response with status %i and the body %s (truncated: %s) has the outcome %s', (status, body, truncated, kind) => {
  expect(outcomeOfGoogleChat({ status, headers: {}, body, truncated })?.kind).toBe(kind);
});
