import type { Email, MailContent } from './email.ts';

/** Maximum length of a text from a tenant. Email programs truncate emails of more than 100 KB. */
const MAX_TEXT = 2_000;

/**
 * Renders an email as plain text and as HTML. The HTML has no scripts or pictures and is readable without styles, so
 * that every email program can show it.
 */
export function renderEmail(letter: Email): MailContent {
  return { subject: letter.subject.replace(/\s+/g, ' '), text: renderText(letter), html: renderHtml(letter) };
}

const ENGLISH = { locale: 'en', direction: 'ltr', unsubscribe: 'Unsubscribe' } as const;

function renderText(letter: Email): string {
  const { headline, paragraphs, details, action, footer, unsubscribeUrl, language = ENGLISH } = letter;
  const link = action ? `${action.label}: ${action.url}` : '';
  const lines = details.map(({ name, value }) => `${name}: ${cut(value)}`).join('\n');
  const parts = [
    headline,
    ...paragraphs,
    lines,
    link,
    `-- \n${footer}${unsubscribeUrl === undefined ? '' : `\n${language.unsubscribe}: ${unsubscribeUrl}`}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function renderHtml(letter: Email): string {
  const { subject, headline, color, paragraphs, details, action, footer, unsubscribeUrl, language = ENGLISH } = letter;
  const { locale, direction, unsubscribe } = language;
  const align = direction === 'rtl' ? 'right' : 'left';
  return `<!doctype html>
<html lang="${locale}"${direction === 'rtl' ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #111418 !important; }
  .card { background: #1c2127 !important; border-color: ${color} #333a44 #333a44 !important; }
  .text { color: #e8eaed !important; }
  .quiet { color: #a4abb6 !important; }
  .link { color: #7fb2ff !important; }
  .button { background: #7fb2ff !important; color: #111418 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:24px 12px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #dfe2e7;border-top:4px solid ${color};border-radius:6px;text-align:${align};${FONT}">
<tr><td style="padding:24px">
<h1 class="text" style="margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600;color:#1a1d21;${WRAP}">${escapeHtml(headline)}</h1>
${paragraphs.map(paragraph).join('\n')}
${details.map(detail).join('\n')}
${action ? button(action) : ''}
</td></tr>
</table>
<p class="quiet" style="max-width:560px;margin:16px auto 0;padding:0 12px;font-size:13px;line-height:19px;color:#5b6470;text-align:${align};${FONT}${WRAP}">${escapeHtml(footer)}${unsubscribeUrl === undefined ? '' : ` <a class="quiet" href="${escapeHtml(unsubscribeUrl)}" style="color:#5b6470">${escapeHtml(unsubscribe)}</a>`}</p>
</td></tr>
</table>
</body>
</html>
`;
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;";
const WRAP = 'overflow-wrap:anywhere;';

function paragraph(text: string): string {
  return `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1a1d21;${WRAP}">${escapeHtml(text)}</p>`;
}

/** Renders a link that is large enough to tap. */
function button({ label, url }: NonNullable<Email['action']>): string {
  return `<p style="margin:20px 0 4px"><a class="button" href="${escapeHtml(url)}" style="display:block;padding:12px 16px;border-radius:6px;background:#0b57d0;color:#ffffff;font-size:16px;line-height:22px;font-weight:600;text-align:center;text-decoration:none">${escapeHtml(label)}</a></p>`;
}

function detail({ name, value }: Email['details'][number]): string {
  const shown = escapeHtml(cut(value));
  const isLink = /^https?:\/\/\S+$/.test(value) && value.length <= MAX_TEXT;
  const inside = isLink ? `<a class="link" href="${shown}" style="color:#0b57d0">${shown}</a>` : shown;
  return `<p style="margin:0 0 12px;font-size:15px;line-height:22px;${WRAP}"><span class="quiet" style="font-size:13px;color:#5b6470">${escapeHtml(name)}</span><br><span class="text" style="color:#1a1d21">${inside}</span></p>`;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
