import { type Html, html } from '@tocsin/html';
import { LRUCache } from 'lru-cache';
import MarkdownIt, { type Token } from 'markdown-it';

/** Parser of the supported subset of Markdown. All other syntax is parsed as plain text. */
const PARSER = new MarkdownIt('zero', { linkify: true, maxNesting: 10 }).enable([
  'heading',
  'list',
  'fence',
  'newline',
  'escape',
  'backticks',
  'emphasis',
  'link',
  'autolink',
  'entity',
  'linkify',
]);
PARSER.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add('ftp:', null).add('//', null);
PARSER.validateLink = (url) => /^(?:https?:\/\/[^/]|mailto:.)/i.test(url) && URL.canParse(url);

/** HTML of the tokens that have no content. Headings are bold paragraphs, because the page has its own headings. */
const TAGS: Readonly<Record<string, Html>> = {
  paragraph_open: html`<p>`,
  paragraph_close: html`</p>`,
  heading_open: html`<p><strong>`,
  heading_close: html`</strong></p>`,
  bullet_list_open: html`<ul>`,
  bullet_list_close: html`</ul>`,
  ordered_list_open: html`<ol>`,
  ordered_list_close: html`</ol>`,
  list_item_open: html`<li>`,
  list_item_close: html`</li>`,
  strong_open: html`<strong>`,
  strong_close: html`</strong>`,
  em_open: html`<em>`,
  em_close: html`</em>`,
  link_close: html`</a>`,
  softbreak: html`<br>`,
  hardbreak: html`<br>`,
};

/**
 * Cache of rendered texts. Pages are rendered often, and rendering 10,000 characters of markup takes 30 ms. The unit of
 * `maxSize` is characters.
 */
const RENDERED = new LRUCache<string, Html>({ maxSize: 8_000_000 });

/**
 * Returns the HTML of a user's text. The text may contain a subset of Markdown: bold, italic, code, links, lists and
 * headings. Headings are shown in bold. Line breaks are preserved. HTML in the text is escaped. Only http, https and
 * mailto URLs become links.
 */
export function markdownHtml(text: string): Html {
  const known = RENDERED.get(text);
  if (known) return known;
  const rendered = html`${PARSER.parse(text, {}).map(tokenHtml)}`;
  RENDERED.set(text, rendered, { size: text.length + rendered.toString().length + 1 });
  return rendered;
}

/** Characters that can have a meaning in Markdown. The time to render a text grows with their number. */
const MARKUP = /[*_`[\]<&\\#\n]|[-+] /g;

/** Beginnings of links. A link takes as long to render as five other pieces of markup. */
const LINKS = /:\/\/|mailto:/g;
const LINK_COST = 5;

/**
 * Maximum number of pieces of markup in all formatted texts of one document. Rendering this number takes about 0.1 s.
 */
const MAX_MARKUP = 10_000;

/**
 * Renders the texts of one document. A text whose markup would exceed the document's limit is shown unformatted. Texts
 * full of markup therefore can't delay other pages.
 */
export class Markdown {
  #left = MAX_MARKUP;

  /** Returns markdownHtml() of a text, or the unformatted text if the limit is exceeded. */
  html(text: string): Html {
    return this.#spend(text) ? markdownHtml(text) : html`<p class="plain">${text}</p>`;
  }

  /** Returns markdownText() of a text, or the unchanged text if the limit is exceeded. */
  text(text: string): string {
    return this.#spend(text) ? markdownText(text) : text;
  }

  #spend(text: string): boolean {
    const cost = (text.match(MARKUP)?.length ?? 0) + LINK_COST * (text.match(LINKS)?.length ?? 0);
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

function tokenHtml(token: Token): Html | undefined {
  if (token.hidden) return undefined;
  switch (token.type) {
    case 'inline':
      return html`${(token.children ?? []).map(tokenHtml)}`;
    case 'code_inline':
      return html`<code>${token.content}</code>`;
    case 'fence':
      return html`<pre><code>${token.content}</code></pre>`;
    case 'link_open':
      return html`<a href="${token.attrGet('href') ?? ''}" rel="nofollow noopener">`;
    default:
      // Tokens of any other type, including text, are shown as text.
      return TAGS[token.type] ?? html`${token.content}`;
  }
}

/** Renders a Markdown text as plain text. A link is followed by its URL in parentheses. */
export function markdownText(text: string): string {
  const lines: string[] = [''];
  const write = (piece: string) => {
    lines[lines.length - 1] += piece;
  };
  const numbers: (number | undefined)[] = [];
  for (const token of PARSER.parse(text, {})) {
    switch (token.type) {
      case 'inline':
      case 'fence':
        write(token.children ? inlineText(token.children) : token.content.trimEnd());
        lines.push('');
        break;
      case 'bullet_list_open':
        numbers.push(undefined);
        break;
      case 'ordered_list_open':
        numbers.push(Number(token.attrGet('start') ?? 1));
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        numbers.pop();
        break;
      case 'list_item_open': {
        const number = numbers.at(-1);
        write(number === undefined ? '- ' : `${number}. `);
        if (number !== undefined) numbers[numbers.length - 1] = number + 1;
        break;
      }
    }
  }
  return lines.join('\n').trimEnd();
}

function inlineText(tokens: readonly Token[]): string {
  let text = '';
  let link: { readonly from: number; readonly href: string } | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') link = { from: text.length, href: String(token.attrGet('href')) };
    else if (token.type === 'link_close' && link) {
      const label = text.slice(link.from);
      const isSame = label === link.href || `mailto:${label}` === link.href;
      if (!isSame) text += ` (${link.href})`;
      link = undefined;
    } else if (token.type === 'softbreak' || token.type === 'hardbreak') text += '\n';
    else text += token.content;
  }
  return text;
}
