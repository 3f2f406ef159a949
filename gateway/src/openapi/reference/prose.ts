import { type Html, html, type Piece } from '@tocsin/html';

/** Renders a text in which backticks mark code. */
export function words(text: string): Piece {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Renders a text whose paragraphs are separated by empty lines. */
export function paragraphs(text: string): Html[] {
  return text.split(/\n\s*\n/).map((paragraph) => html`<p>${words(paragraph)}</p>`);
}

const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** Formats JSON with syntax highlighting. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(TOKENS)) {
    pieces.push(text.slice(end, index));
    const kind = colon === undefined ? (string === undefined ? 'literal' : 'string') : 'key';
    pieces.push(html`<span class="${kind}">${string ?? token}</span>`, colon);
    end = index + token.length;
  }
  return html`<pre tabindex="0"><code>${pieces}${text.slice(end)}</code></pre>`;
}
