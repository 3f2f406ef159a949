import { type Html, html } from '@tocsin/html';
import type { Key } from './messages/messages.ts';
import type { Texts } from './messages/texts.ts';

/** Pages about a subscription by mail: the form, and what is shown after it was sent. */
export const SUBSCRIBE_STEPS = ['form', 'sent', 'invalid', 'full'] as const;
export type SubscribeStep = (typeof SUBSCRIBE_STEPS)[number];

const TITLES = {
  form: 'subscribe.title',
  sent: 'subscribe.sent_title',
  invalid: 'subscribe.title',
  full: 'subscribe.full_title',
} as const satisfies Record<SubscribeStep, Key>;

export function subscribeTitle(step: SubscribeStep, texts: Texts): string {
  return texts.text(TITLES[step]);
}

/** Renders the form with which visitors subscribe by mail. It works without scripts. `base` is the page's path. */
export function subscribeForm(base: string, texts: Texts, isInvalid = false): Html {
  const problem = isInvalid ? html` aria-invalid="true" aria-describedby="subscribe-problem" autofocus` : undefined;
  return html`
      <form class="subscribe" method="post" action="${base}/subscribe">
        <label for="subscribe-address">${texts.text('subscribe.label')}</label>
        <input id="subscribe-address" name="address" type="email" required maxlength="254" autocomplete="email" dir="ltr"${problem}>
        <button>${texts.text('subscribe.button')}</button>
      </form>`;
}

/** Renders the content of the page at a step. */
export function subscribeHtml(step: SubscribeStep, base: string, texts: Texts): Html {
  const title = html`<h2>${subscribeTitle(step, texts)}</h2>`;
  switch (step) {
    case 'sent':
      return html`${title}<p>${texts.text('subscribe.sent_text')}</p>`;
    case 'full':
      return html`${title}<p>${texts.text('subscribe.full_text')}</p>
      <p><a href="${base}/history.atom">${texts.text('footer.feed')}</a></p>`;
    case 'form':
    case 'invalid': {
      const problem = html`<p id="subscribe-problem" class="problem" role="alert">${texts.text('subscribe.invalid')}</p>`;
      return html`${title}<p>${texts.text('subscribe.text')}</p>${step === 'invalid' ? problem : undefined}
      ${subscribeForm(base, texts, step === 'invalid')}`;
    }
  }
}
