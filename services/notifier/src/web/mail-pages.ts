import { type Html, html } from '@tocsin/html';
import type { MailQuestion } from '../app/mail-subscriptions.ts';
import { type Document, documentOf } from './outage-shell.ts';

/** Renders the page with the button that performs an email link's action. */
export function questionPage({ kind, organizationName = 'this organization' }: MailQuestion): Document {
  switch (kind) {
    case 'confirm':
      return card(`Alerts from ${organizationName}`, [
        html`<p>You get a mail when something goes down that ${organizationName} monitors, and when it is up again. Each one has a link that ends this.</p>`,
        button('Yes, send me alerts'),
      ]);
    case 'unsubscribe':
      return card(`No more alerts from ${organizationName}?`, [
        html`<p>You get no mails of its alert channels any more, whatever goes down.</p>`,
        button('Unsubscribe'),
      ]);
    case 'expired':
      return card('This link has expired', [
        html`<p>A person who manages the alert channel can save its recipients again: you then get another link.</p>`,
      ]);
    default:
      return kind satisfies never;
  }
}

export function confirmedPage(): Document {
  return card('You get alerts', [
    html`<p>Alerts arrive at your address from now on. Each one has a link to unsubscribe.</p>`,
  ]);
}

/** Renders the page after unsubscribing, with a button for subscribing again. */
export function unsubscribedPage(): Document {
  return card('You are unsubscribed', [
    html`<p>No more alerts are sent to your address.</p>`,
    html`<form method="post"><input type="hidden" name="again" value="1"><button class="second">That was a mistake: send me alerts again</button></form>`,
  ]);
}

function button(text: string): Html {
  return html`<form method="post"><button>${text}</button></form>`;
}

function card(title: string, parts: readonly Html[]): Document {
  return documentOf(
    title,
    html`
<main>
  <section class="card hero is-accent question">
    <h1 dir="auto">${title}</h1>
    ${parts}
  </section>
</main>`,
  );
}
