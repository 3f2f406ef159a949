import { expect, test } from 'vitest';
import { fillTemplate, isJsonTemplate, measureFilled } from './fill-template.ts';

test('a value is escaped for use inside a JSON string', () => {
  const value = 'says "no"\n\\ \u0001 ünïcode 🔴';
  expect(JSON.parse(fillTemplate('{"text": "it {{last_error}}!"}', { last_error: value }))).toEqual({
    text: `it ${value}!`,
  });
});

test('spaces inside the braces are allowed, and unknown names become empty strings', () => {
  const filled = fillTemplate('"{{ event }}|{{nothing}}|{{toString}}|{{__proto__}}"', { event: 'monitor_down' });
  expect(filled).toBe('"monitor_down|||"');
});

test('placeholders inside values are not replaced', () => {
  expect(fillTemplate('"{{a}}"', { a: '{{b}}', b: 'secret' })).toBe('"{{b}}"');
});

test.each([
  ['"no placeholder, ünïcode"', undefined],
  ['"{{ event }}{{event}}{{quoted}}"', 'quoted'],
  ['"🔴{{event}}|{{none}}|{{toString}}"', 'event'],
])('the measured size of the filled template %s is its real size', (template, largest) => {
  const values = { event: 'down', quoted: '"\n🔴"\u0001' };
  const bytes = Buffer.byteLength(fillTemplate(template, values));
  expect(measureFilled(template, values)).toEqual({ bytes, largest });
});

test.each([
  ['{"text": "{{monitor_name}} is {{status}}"}', true],
  ['{"{{event}}": ["{{unknown}}", 1, null]}', true],
  ['{"static": true}', true],
  ['"{{event}}"', true],
  ['{"n": {{days_remaining}}}', false],
  ['[{{event}}]', false],
  ['{"text": "{{event}}"', false],
  ['plain text', false],
])('isJsonTemplate(%j) returns %s', (template, valid) => {
  expect(isJsonTemplate(template)).toBe(valid);
});
