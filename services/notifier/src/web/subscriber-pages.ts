import { type Html, html } from '@tocsin/html';
import type { FollowOutcome } from '../app/follow-subscriber-link.ts';
import { type NamedPage, type SubscriberTexts, subscriberTexts } from '../domain/subscriber-texts/texts.ts';
import { type Document, documentOf } from './outage-shell.ts';

/** Renders the page with the button that performs the action of a subscriber's link. */
export function subscriberQuestionPage(page: NamedPage, kind: 'confirm' | 'unsubscribe'): Document {
  const texts = subscriberTexts(page);
  const button = html`<form method="post"><button>${texts.text(kind === 'confirm' ? 'confirmButton' : 'unsubscribe')}</button></form>`;
  return card(texts, page, texts.text(`${kind}Title`), texts.text(`${kind}Question`), button);
}

/** Renders the page after the action of a subscriber's link. */
export function subscriberDonePage(page: NamedPage, outcome: FollowOutcome): Document {
  const texts = subscriberTexts(page);
  return card(texts, page, texts.text(`${outcome}Title`), texts.text(`${outcome}Text`));
}

function card(texts: SubscriberTexts, page: NamedPage, title: string, text: string, button?: Html): Document {
  return documentOf(
    title,
    html`
<main>
  <section class="card hero is-accent question">
    <h1 dir="auto">${title}</h1>
    <p>${text}</p>
    ${button}
    ${page && html`<p><a href="${page.url}">${texts.text('toPage')}</a></p>`}
  </section>
</main>`,
    texts,
  );
}
