import type { en } from './en.ts';

/** Key of a text. */
export type Key = keyof typeof en;

/**
 * Forms of a text that depends on a number, by plural category. Source:
 * https://cldr.unicode.org/index/cldr-spec/plural-rules
 */
export interface PluralForms {
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

/** Texts of one language. Each language has every key of English and no others. */
export type Messages = { readonly [K in Key]: (typeof en)[K] extends string ? string : PluralForms };

type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never;

/** Names of the values that a text needs. A text with plural forms always needs `count`. */
type ValueName<K extends Key> = (typeof en)[K] extends { readonly other: infer Other }
  ? Placeholder<Other> | 'count'
  : Placeholder<(typeof en)[K]>;

/** Values that a text needs, by placeholder. */
export type Values<K extends Key, Value> = {
  readonly [Name in ValueName<K>]: Name extends 'count' ? number : Value | number;
};

/** Arguments for the values of a text: none if it needs no values. */
export type ValueArguments<K extends Key, Value> = ValueName<K> extends never ? [] : [values: Values<K, Value>];
