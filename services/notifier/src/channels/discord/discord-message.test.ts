import { expect, test } from 'vitest';
import { hostile, longest, notices } from '../../../test/notices.ts';
import { discordMessage } from './discord-message.ts';

test('a down alert has one red embed without mentions', () => {
  expect(discordMessage(notices.down)).toEqual({
    embeds: [
      {
        title: '🔴 Shop is down',
        url: 'https://tocsin.example.com/o/t1',
        color: 0xd92d20,
        fields: [
          { name: 'Error', value: 'status 502, expected 200' },
          { name: 'Since', value: '2026-11-20T03:00:00Z' },
          { name: 'Checks', value: '<https://shop.example.com/health_check>' },
        ],
        footer: { text: 'Sent by Tocsin to Ops' },
        timestamp: '2026-11-20T03:00:00.000Z',
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

test.each([
  [notices.recovered, '🟢 Shop is up again', 0x12b76a],
  [notices.stale, '⚪ Shop has no recent data', 0x98a2b3],
  [notices.certExpiring, '🟠 Shop has a certificate that expires in 7 days', 0xf79009],
  [notices.test, '🔔 Test alert came through', 0x2e90fa],
])('an alert of kind $kind has its own text and color', (notice, title, color) => {
  expect(discordMessage(notice).embeds).toMatchObject([{ title, color }]);
});

test('tenant text never becomes markup', () => {
  const [embed] = discordMessage(hostile).embeds;
  expect(embed?.title).toBe('🔴 @everyone \\*\\*bold\\*\\* \\[link\\](https://evil.example) is down');
  expect(embed?.fields[0]?.value).toBe('\\<!channel\\> \\`code\\`');
});

test("the longest texts stay within Discord's limits", () => {
  const [embed] = discordMessage(longest).embeds;
  const values = embed?.fields.map(({ value }) => value) ?? [];
  const texts = [embed?.title ?? '', embed?.footer.text ?? '', ...values];
  expect(embed?.title.length).toBeLessThanOrEqual(256);
  for (const value of values) expect(value.length).toBeLessThanOrEqual(1024);
  expect(texts.join('').length).toBeLessThan(5_500);
  for (const text of texts) expect(text.isWellFormed()).toBe(true);
  // Truncation does not separate a `<` from its backslash.
  expect(values[0]).toMatch(/^(\\<)+…$/);
});
