/** A mail to people, before it has a form. Texts may come from tenants: nothing in them is markup. */
export interface Email {
  readonly subject: string;
  /** The most important thing, in one line. */
  readonly headline: string;
  /** Of the bar beside the headline, as `#RRGGBB`. */
  readonly color: string;
  readonly paragraphs: readonly string[];
  /** Each on a line of its own; a value that is an http(s) address becomes a link. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** What the reader can do: a button. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Why the reader has got it. */
  readonly footer: string;
  /** Where the reader says that no more shall come. */
  readonly unsubscribeUrl?: string;
}

/** A mail as it is sent. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
