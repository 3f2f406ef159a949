import type { Locale } from '@tocsin/enums';
import { type Html, html, type Piece } from '@tocsin/html';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { Key, Messages, PluralForms, ValueArguments } from './messages.ts';

/** A language of the public pages. */
interface Language {
  readonly messages: Messages;
  /** BCP 47 tag with which dates, numbers and lists are formatted. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  /** Matches a name of a page that already contains the word for status. */
  readonly statusInName: RegExp;
}

/** Languages by locale. A new language is a file with its texts and an entry here. */
export const LANGUAGES = {
  en: { messages: en, tag: 'en-GB', direction: 'ltr', statusInName: /(?<!\p{L})status$/iu },
  de: { messages: de, tag: 'de', direction: 'ltr', statusInName: /(?<!\p{L})status$/iu },
  fr: { messages: fr, tag: 'fr', direction: 'ltr', statusInName: /(?<!\p{L})statut$|^statut(?!\p{L})/iu },
  es: { messages: es, tag: 'es', direction: 'ltr', statusInName: /^estado(?!\p{L})/iu },
  // All readers of Arabic know Western digits, but not all know Arabic-Indic digits.
  ar: { messages: ar, tag: 'ar-u-nu-latn', direction: 'rtl', statusInName: /^حالة(?!\p{L})/u },
} as const satisfies Readonly<Record<Locale, Language>>;

const UTC = { timeZone: 'UTC', calendar: 'gregory' } as const;
const TIME_OF_DAY = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DURATION_UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const;

/** Texts, numbers and dates of the public pages in one language. */
export class Texts {
  readonly locale: Locale;
  readonly direction: 'ltr' | 'rtl';
  readonly #messages: Messages;
  readonly #tag: string;
  readonly #plurals: Intl.PluralRules;
  readonly #numbers: Intl.NumberFormat;
  readonly #percentages: Intl.NumberFormat;
  readonly #lists: Intl.ListFormat;
  readonly #durations: Intl.DurationFormat;
  readonly #times: Intl.DateTimeFormat;
  readonly #timesOfDay: Intl.DateTimeFormat;
  readonly #days: Intl.DateTimeFormat;
  readonly #months: Intl.DateTimeFormat;

  constructor(locale: Locale) {
    const { messages, tag, direction } = LANGUAGES[locale];
    this.locale = locale;
    this.direction = direction;
    this.#messages = messages;
    this.#tag = tag;
    this.#plurals = new Intl.PluralRules(tag);
    this.#numbers = new Intl.NumberFormat(tag);
    this.#percentages = new Intl.NumberFormat(tag, {
      style: 'percent',
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    this.#lists = new Intl.ListFormat(tag);
    this.#durations = new Intl.DurationFormat(tag, { style: 'long' });
    this.#times = new Intl.DateTimeFormat(tag, {
      ...UTC,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      ...TIME_OF_DAY,
    });
    this.#timesOfDay = new Intl.DateTimeFormat(tag, { ...UTC, ...TIME_OF_DAY });
    this.#days = new Intl.DateTimeFormat(tag, { ...UTC, dateStyle: 'full' });
    this.#months = new Intl.DateTimeFormat(tag, { ...UTC, month: 'long', year: 'numeric' });
  }

  /**
   * Returns a text with values in place of its placeholders. Names in the values must already be isolated (see
   * isolate()).
   */
  text<K extends Key>(key: K, ...[values]: ValueArguments<K, string>): string {
    const known: Readonly<Record<string, string | number>> = values ?? {};
    return this.#parts(key, known)
      .map((part) => this.#spell(part))
      .join('');
  }

  /** Returns a text as HTML with values in place of its placeholders. The values may be HTML. */
  html<K extends Key>(key: K, ...[values]: ValueArguments<K, Piece>): Html {
    const known: Readonly<Record<string, Piece>> = values ?? {};
    return html`${this.#parts(key, known).map((part) => (typeof part === 'number' ? this.#spell(part) : part))}`;
  }

  /**
   * Returns a list of names as text, such as "API, Search and Web", with each name isolated. `more` is the number of
   * omitted names. If it is not 0, the list ends with an item such as "2 more".
   */
  names(names: readonly string[], more = 0): string {
    const items = names.map((name) => this.isolate(name));
    return this.#lists.format(more > 0 ? [...items, this.text('names.more', { count: more })] : items);
  }

  /**
   * Returns a text that a user wrote, for use inside one of the page's texts. If the two texts can have different
   * writing directions, the user's text is enclosed in isolate characters (UAX 9).
   */
  isolate(text: string): string {
    return this.direction === 'rtl' || RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
  }

  /** Returns a duration in its two largest units, such as "2 hours, 5 minutes". */
  duration(milliseconds: number): string {
    let rest = Math.round(milliseconds / 1000);
    const first = DURATION_UNITS.findIndex(([, seconds]) => rest >= seconds);
    if (first < 0)
      return new Intl.DurationFormat(this.#tag, { style: 'long', secondsDisplay: 'always' }).format({ seconds: 0 });
    const duration: Partial<Record<Intl.DurationFormatUnit, number>> = {};
    for (const [unit, seconds] of DURATION_UNITS.slice(first, first + 2)) {
      duration[unit] = Math.floor(rest / seconds);
      rest %= seconds;
    }
    return this.#durations.format(duration);
  }

  /** Returns a percentage. It is rounded down, so that only an uptime without outages is shown as 100%. */
  percent(percent: number): string {
    // Without the small addition, the floating-point value of 99.85 would be rounded down to 99.84.
    return this.#percentages.format(Math.floor(percent * 100 + 1e-6) / 10_000);
  }

  /** Returns a time in UTC, such as "1 Jan 2026, 10:00 UTC". */
  time(time: Date): string {
    return this.text('time.utc', { time: this.#times.format(time) });
  }

  /** Returns the time of day in UTC, such as "10:00 UTC". */
  timeOfDay(time: Date): string {
    return this.text('time.utc', { time: this.#timesOfDay.format(time) });
  }

  /** Returns the day of a time in UTC, such as "Thursday, 1 January 2026". */
  day(time: Date): string {
    return this.#days.format(time);
  }

  /** Returns the month of a time in UTC, such as "January 2026". */
  month(time: Date): string {
    return this.#months.format(time);
  }

  /** Splits a text at its placeholders and inserts the values. */
  #parts<Value>(key: Key, values: Readonly<Record<string, Value>>): (Value | string)[] {
    const message: string | PluralForms = this.#messages[key];
    const template = typeof message === 'string' ? message : this.#form(message, Number(values.count));
    // Pieces with an odd index are the names of placeholders.
    return template.split(/\{(\w+)\}/).map((piece, index) => {
      if (index % 2 === 0) return piece;
      const value = values[piece];
      if (value === undefined) throw new Error(`the text ${key} needs a value for ${piece}`);
      return value;
    });
  }

  #form(forms: PluralForms, count: number): string {
    return forms[this.#plurals.select(count)] ?? forms.other;
  }

  #spell(part: string | number): string {
    return typeof part === 'number' ? this.#numbers.format(part) : part;
  }
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const TEXTS = new Map<Locale, Texts>();

/** Returns the texts of a locale. */
export function textsOf(locale: Locale): Texts {
  const texts = TEXTS.get(locale) ?? new Texts(locale);
  TEXTS.set(locale, texts);
  return texts;
}
