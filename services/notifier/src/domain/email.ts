/** Content of an email before rendering. Strings may come from tenants, and are never treated as markup. */
export interface Email {
  readonly subject: string;
  /** Headline with the most important information. */
  readonly headline: string;
  /** Color of the bar next to the headline, as `#RRGGBB`. */
  readonly color: string;
  readonly paragraphs: readonly string[];
  /** Details, each on a separate line. A value that is an http(s) URL becomes a link. */
  readonly details: readonly { readonly name: string; readonly value: string }[];
  /** Action that the reader can take, shown as a button. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Reason why the recipient gets the email. */
  readonly footer: string;
  readonly unsubscribeUrl?: string;
  /** Language of the texts, and the label of the link to unsubscribe. Default: English. */
  readonly language?: {
    readonly locale: string;
    readonly direction: 'ltr' | 'rtl';
    readonly unsubscribe: string;
  };
}

/** A rendered email. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
