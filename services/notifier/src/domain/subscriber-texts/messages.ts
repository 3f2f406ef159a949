import type { en } from './en.ts';

export type SubscriberKey = keyof typeof en;

/** Texts of one language. */
export type SubscriberMessages = Readonly<Record<SubscriberKey, string>>;
