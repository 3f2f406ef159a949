import type { Locale } from '@tocsin/enums';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { SubscriberKey, SubscriberMessages } from './messages.ts';

const MESSAGES: Readonly<Record<Locale, SubscriberMessages>> = { en, de, fr, es, ar };

/** Texts for the subscribers of a page, in its language. */
export interface SubscriberTexts {
  readonly locale: Locale;
  readonly direction: 'ltr' | 'rtl';
  text(key: SubscriberKey): string;
}

/** A page as its subscribers see it; undefined if it was deleted. */
export type NamedPage = { readonly name: string; readonly url: string; readonly locale: Locale } | undefined;

/** Returns the texts for the subscribers of a page. Texts about a deleted page are in English and do not name it. */
export function subscriberTexts(page: NamedPage): SubscriberTexts {
  const locale = page?.locale ?? 'en';
  const direction = locale === 'ar' ? 'rtl' : 'ltr';
  const messages = MESSAGES[locale];
  // The isolate characters keep a name in another writing direction together (UAX 9).
  const name = page && (direction === 'rtl' ? `\u2068${page.name}\u2069` : page.name);
  const values: Readonly<Record<string, string>> = { page: name ?? messages.thisPage, url: page?.url ?? '' };
  return {
    locale,
    direction,
    text: (key) => messages[key].replace(/\{(\w+)\}/g, (whole, placeholder: string) => values[placeholder] ?? whole),
  };
}
