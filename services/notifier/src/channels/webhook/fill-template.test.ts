import { expect, test } from 'vitest';
import { fillTemplate, isJsonTemplate } from './fill-template.ts';

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
