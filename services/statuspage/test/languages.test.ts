import type { Locale } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { en } from '../src/web/messages/en.ts';
import type { Messages } from '../src/web/messages/messages.ts';
import { LANGUAGES, textsOf } from '../src/web/messages/texts.ts';
import { statusPageHtml } from '../src/web/status-page-html.ts';
import { subPageHtml } from '../src/web/sub-pages.ts';
import { aPublicPage } from './a-public-page.ts';

function render(locale: Locale, affected: number): string {
  const { content, history, now } = aPublicPage({ components: 14, affected });
  const texts = textsOf(locale);
  const shown = { content, history, base: '/s/northwind', url: 'https://status.example.com', texts, now };
  const month = subPageHtml({ kind: 'month', year: 2026, month: 3 }, shown)?.text;
  const component = subPageHtml({ kind: 'component', id: 'c0' }, shown)?.text;
  return [statusPageHtml(content, shown).text, month, component].join('\n');
}

test.each<[Locale, 'ltr' | 'rtl', string, string]>([
  ['en', 'ltr', 'All systems operational', 'Major outage'],
  ['de', 'ltr', 'Alle Systeme funktionieren', 'Größerer Ausfall'],
  ['fr', 'ltr', 'Tous les systèmes sont opérationnels', 'Panne majeure'],
  ['es', 'ltr', 'Todos los sistemas operativos', 'Interrupción grave'],
  ['ar', 'rtl', 'جميع الأنظمة تعمل', 'انقطاع كبير'],
])('a page in %s has its language, its direction and its banner', (locale, direction, calm, outage) => {
  for (const [affected, headline] of [
    [0, calm],
    [10, outage],
  ] as const) {
    const text = render(locale, affected);
    expect(text).toMatch(new RegExp(`^<!doctype html>\\n<html lang="${locale}" dir="${direction}"`));
    expect(text).toContain(`<h2 class="headline">${headline}</h2>`);
  }
});

/** Returns the texts that a browser or a screen reader presents: text nodes, labels and tooltips. */
function readableTexts(html: string): string[] {
  const visible = html.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
  const attributes = [...visible.matchAll(/ (?:aria-label|data-narrow|title|alt|content)="([^"]*)"/g)].map(
    ([, text]) => text,
  );
  const nodes = visible.split(/<[^>]*>/);
  return [...nodes, ...attributes].flatMap((text = '') => text.replaceAll(/[\u2068\u2069]/g, '').trim() || []);
}

/** Splits a language's texts at the placeholders, and returns the parts that contain a word. */
function partsOf(messages: Messages): string[] {
  const texts = Object.values<string | object>(messages).flatMap((message) =>
    typeof message === 'string' ? [message] : Object.values<string>({ ...message }),
  );
  return [...new Set(texts.flatMap((text) => text.split(/\{\w+\}/)).map((part) => part.trim()))].filter((part) =>
    /\p{L}{2}/u.test(part),
  );
}

test.each(['de', 'fr', 'es', 'ar'] as const)('no English message remains on a page in %s', (locale) => {
  const texts = readableTexts(render(locale, 10));
  // The fixture also contains English texts that users wrote. Therefore, only exact matches with texts of the message
  // catalog are errors.
  const own = new Set(partsOf(LANGUAGES[locale].messages));
  const english = partsOf(en).filter((part) => !own.has(part));
  const left = texts.filter((text) => english.includes(text));
  // In the fixture, a user wrote this text, which equals a default text.
  expect(left.filter((text) => text !== 'This is resolved.')).toEqual([]);
});

test('on an Arabic page without texts that users wrote, every text is Arabic', () => {
  const { content, history, now } = aPublicPage({ components: 14, affected: 10 });
  const arabic = (text: string) => text.replaceAll(/[A-Za-z][A-Za-z0-9 ,.]*/g, 'اسم');
  const components = content.entries.map((entry) => {
    if (entry.kind !== 'group') return entry;
    const members = entry.components.map((one) => ({ ...one, name: 'اسم', description: undefined }));
    return { ...entry, group: { ...entry.group, name: 'مجموعة' }, components: members };
  });
  const shown = content.disruptions.shown.map((one) => ({
    ...one,
    title: arabic(one.title),
    components: one.components.map((component) => ({ ...component, name: 'اسم' })),
    updates: one.updates.map((update) => ({ ...update, automaticText: 'default_of_status' as const })),
  }));
  const page = { ...content.page, name: 'اسم', description: undefined };
  const changed = { ...content, page, entries: components, disruptions: { ...content.disruptions, shown } };
  const { text } = statusPageHtml(changed, {
    history,
    base: '/s/northwind',
    url: 'https://status.example.com',
    texts: textsOf('ar'),
    now,
  });
  const latin = readableTexts(text).filter((one) => /[A-Za-z]{2}/.test(one.replaceAll('UTC', '')));
  // These strings are not translated: they are values in the head, and a placeholder for the time in the notice.
  expect(latin.filter((one) => !/^(?:width=device-width|website|https:|summary_large_image|as-of)/.test(one))).toEqual(
    [],
  );
});

test("a person's text is shown unchanged on a page in another language", () => {
  const text = render('ar', 10);
  expect(text).toContain('<div class="prose" dir="auto"><p>Half of the data has moved.');
  expect(text).toContain('<bdi>Uploads above 100 MB fail sometimes</bdi>');
});
