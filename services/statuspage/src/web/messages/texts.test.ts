import { type Locale, locales } from '@tocsin/enums';
import { html } from '@tocsin/html';
import { expect, test } from 'vitest';
import { en } from './en.ts';
import type { Key, Messages, PluralForms } from './messages.ts';
import { LANGUAGES, textsOf } from './texts.ts';

const LOCALES = locales.names;
const KEYS = Object.keys(en) as Key[];

function formsOf(message: Messages[Key]): [string, string][] {
  return typeof message === 'string' ? [['other', message]] : Object.entries(message);
}

function placeholdersIn(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].toSorted();
}

test.each(LOCALES)('the texts in %s are complete and not empty', (locale) => {
  const { messages } = LANGUAGES[locale];
  expect(Object.keys(messages).toSorted()).toEqual(KEYS.toSorted());
  const texts = KEYS.flatMap((key) => formsOf(messages[key]).map(([, text]) => text));
  expect(texts.filter((text) => text.trim() === '')).toEqual([]);
});

test.each(LOCALES)('the texts in %s have the placeholders of the English ones', (locale) => {
  for (const key of KEYS) {
    const expected = placeholdersIn(
      formsOf(en[key])
        .map(([, text]) => text)
        .join(),
    );
    for (const [form, text] of formsOf(LANGUAGES[locale].messages[key])) {
      // A plural form for a single number may omit the placeholder, as in "one day".
      const mayOmitCount = ['zero', 'one', 'two'].includes(form);
      const missing = expected.filter((name) => !placeholdersIn(text).includes(name));
      expect([key, form, missing.filter((name) => !(mayOmitCount && name === '{count}'))]).toEqual([key, form, []]);
      expect([key, form, placeholdersIn(text).filter((name) => !expected.includes(name))]).toEqual([key, form, []]);
    }
  }
});

test.each(LOCALES)('the texts in %s have a form for each plural category, and no others', (locale) => {
  const { messages, tag } = LANGUAGES[locale];
  const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.toSorted();
  for (const key of KEYS) {
    const message: string | PluralForms = messages[key];
    if (typeof message === 'string') continue;
    expect([key, Object.keys(message).toSorted()]).toEqual([key, categories]);
  }
});

test.each([
  [0, 'قبل 0 يوم'],
  [1, 'قبل يوم واحد'],
  [2, 'قبل يومين'],
  [3, 'قبل 3 أيام'],
  [11, 'قبل 11 يومًا'],
  [90, 'قبل 90 يومًا'],
  [100, 'قبل 100 يوم'],
])('the Arabic text for %d days has the right plural form', (count, text) => {
  expect(textsOf('ar').text('uptime.days_ago', { count })).toBe(text);
});

test.each<[Locale, number, string]>([
  ['en', 0, '0 seconds'],
  ['en', 499, '0 seconds'],
  ['en', 500, '1 second'],
  ['en', 59_499, '59 seconds'],
  ['en', 59_500, '1 minute'],
  ['en', 3_600_000 + 300_000 + 1_000, '1 hour, 5 minutes'],
  ['en', 86_400_000 + 300_000, '1 day'],
  ['de', 7_500_000, '2 Stunden, 5 Minuten'],
  ['fr', 7_500_000, '2\u00a0heures et 5 minutes'],
  ['es', 7_500_000, '2 horas y 5 minutos'],
  ['ar', 7_500_000, 'ساعتان و5 دقائق'],
])('in %s, %d ms are spelled out as %s', (locale, milliseconds, text) => {
  expect(textsOf(locale).duration(milliseconds)).toBe(text);
});

test.each<[Locale, string, string, string]>([
  ['en', '1 Jan 2026, 10:05 UTC', 'Thursday, 1 January 2026', 'January 2026'],
  ['de', '1. Jan. 2026, 10:05 UTC', 'Donnerstag, 1. Januar 2026', 'Januar 2026'],
  ['fr', '1 janv. 2026, 10:05 UTC', 'jeudi 1 janvier 2026', 'janvier 2026'],
  ['es', '1 ene 2026, 10:05 UTC', 'jueves, 1 de enero de 2026', 'enero de 2026'],
  ['ar', '1 يناير 2026، 10:05 UTC', 'الخميس، 1 يناير 2026', 'يناير 2026'],
])('times, days and months are formatted in %s', (locale, time, day, month) => {
  const texts = textsOf(locale);
  const at = new Date('2026-01-01T10:05:00Z');
  expect([texts.time(at), texts.day(at), texts.month(at)]).toEqual([time, day, month]);
});

test.each([
  [100, '100.00%'],
  [99.9999, '99.99%'],
  [99.85, '99.85%'],
  [99.999_999_7, '99.99%'],
  [0, '0.00%'],
])('the uptime %d is shown as %s', (uptime, text) => {
  expect(textsOf('en').percent(uptime)).toBe(text);
});

test('in HTML, text values are escaped, HTML values are inserted unchanged, and numbers are formatted', () => {
  const time = html`<b>now</b>`;
  expect(String(textsOf('en').html('as_of.notice', { time }))).toContain('as of <b>now</b>.');
  expect(String(textsOf('en').html('as_of.notice', { time: '<b>' }))).toContain('as of &lt;b&gt;.');
  expect(textsOf('de').text('disruptions.ended_omitted', { number: 12_345 })).toContain('12.345');
});

test('names that can have another direction than the text are enclosed in isolate characters', () => {
  expect(textsOf('en').names(['API', 'Search'], 2)).toBe('API, Search and 2 more');
  expect(textsOf('en').names(['بحث'])).toBe('\u2068بحث\u2069');
  expect(textsOf('ar').names(['API', 'Search'])).toBe('\u2068API\u2069 و\u2068Search\u2069');
});
