import { Html, html } from '@tocsin/html';
import type { StoredMail } from './mailbox.ts';

const STYLES = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
li { margin: .75rem 0; } time, .to { opacity: .75; font-size: .9rem; }
iframe { width: 100%; height: 60vh; border: 1px solid; background: Canvas; } pre { white-space: pre-wrap; }
`;

/** Renders the list of mails, newest first. */
export function mailboxPage(mails: readonly StoredMail[]): string {
  const items = mails.map(
    ({ id, arrivedAt, to, email }) =>
      html`<li><a href="/${id}">${email.subject ?? 'without a subject'}</a><br><span class="to">${to.join(', ')}</span> <time>${arrivedAt.toISOString()}</time></li>`,
  );
  const empty = html`<p>No mail has arrived since the start.</p>`;
  return page('Mailbox', items.length > 0 ? html`<ol reversed>${items}</ol>` : empty);
}

/** Renders one mail with its headers, its HTML and its text. Links open in a new window. */
export function mailPage({ email, to }: StoredMail): string {
  const framed = `<base target="_blank">${email.html ?? ''}`;
  return page(
    email.subject ?? 'Mail',
    html`<p><a href="/">All mails</a></p>
<p class="to">From ${email.from?.address ?? ''} to ${to.join(', ')}</p>
${email.html ? html`<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="The mail" srcdoc="${framed}"></iframe>` : undefined}
<h2>Text</h2>
<pre>${email.text ?? ''}</pre>
<h2>Headers</h2>
<pre>${email.headers.map(({ key, value }) => `${key}: ${value}`).join('\n')}</pre>`,
  );
}

function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${new Html(`<style>${STYLES}</style>`)}</head>
<body><h1>${title}</h1>
${body}
</body>
</html>
`.toString();
}
