import { createHash } from 'node:crypto';
import type { Theme } from '@tocsin/enums';
import { Html, html, withoutCheckedTime } from '@tocsin/html';
import { adjustAccent, GROUNDS } from '../domain/accent-color.ts';
import type { Texts } from './messages/texts.ts';
import { PREVIEW_SIZE } from './previews.ts';
import { STYLES, themed } from './styles.ts';

export interface Shell {
  readonly texts: Texts;
  readonly title: string;
  readonly description?: string | undefined;
  readonly theme: Theme;
  /** Whether search engines are asked not to list the document. */
  readonly noindex?: boolean;
  /** Color as `#RRGGBB`. */
  readonly accent?: string | undefined;
  /** Preferred URL of the document. Search engines list this URL if the document has several URLs (RFC 6596). */
  readonly canonical?: string;
  /** Title, text and image URL of the preview that is shown for links to the page. */
  readonly social?: { readonly title: string; readonly description: string; readonly image?: string | undefined };
  /** `data:` URL of the icon in browser tabs. */
  readonly icon?: string;
  readonly scripts?: readonly string[];
  /** Style sheet. Defaults to the style sheet of public pages. */
  readonly styles?: string;
  /**
   * Whether the document updates itself while it is open. `by polling` means that it polls instead of receiving events.
   * A live document needs LIVE_SCRIPT.
   */
  readonly isLive?: boolean | 'by polling';
  /** Whether documents of all sites may show the document in a frame. */
  readonly mayBeFramed?: boolean;
  /** Set if the document is a file in a snapshot. `alivePath` is the path of alive.json relative to the document. */
  readonly snapshot?: { readonly pageId: string; readonly alivePath: string } | undefined;
  /** Whether the body contains images from the document's own origin. */
  readonly hasImages?: boolean;
  /** Whether the body contains a form that is sent to the document's own origin. */
  readonly hasForm?: boolean;
  readonly body: Html;
}

/** A complete document, with the content security policy that allows only its own scripts. */
export interface Document {
  readonly text: string;
  /** Hash of the document's content without the time of the last check. */
  readonly version: string;
  readonly contentSecurityPolicy: string;
}

export function pageShell(shell: Shell): Document {
  const { texts, title, description, canonical, social, icon, theme, noindex, accent } = shell;
  const {
    styles: base = STYLES,
    scripts = [],
    isLive,
    mayBeFramed,
    snapshot,
    hasImages = false,
    hasForm,
    body,
  } = shell;
  const styles = accent === undefined ? [base] : [base, accentStyles(accent)];
  const policy = {
    'default-src': ["'none'"],
    'style-src': styles.map(hashOf),
    'script-src': scripts.length > 0 ? scripts.map(hashOf) : ["'none'"],
    ...(isLive && { 'connect-src': ["'self'"] }),
    'img-src': imageSources(hasImages, icon),
    'base-uri': ["'none'"],
    'form-action': [hasForm ? "'self'" : "'none'"],
  };
  const directives = Object.entries(policy).map(([directive, sources]) => `${directive} ${sources.join(' ')}`);
  const document = html`<!doctype html>
<html lang="${texts.locale}" dir="${texts.direction}" data-theme="${theme}"${isLive ? VERSION : undefined}${isLive === 'by polling' ? html` data-poll` : undefined}${snapshot && html` data-alive="${snapshot.alivePath}" data-page="${snapshot.pageId}"`}>
<head>
  <meta charset="utf-8">${
    // A static server sends no policy, so the document of a snapshot contains it.
    snapshot &&
    html`
  <meta http-equiv="content-security-policy" content="${directives.join('; ')}">`
  }
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>${
    noindex
      ? html`
  <meta name="robots" content="noindex">`
      : undefined
  }
  ${description ? html`<meta name="description" content="${description}">` : undefined}${
    canonical !== undefined
      ? html`
  <link rel="canonical" href="${canonical}">`
      : undefined
  }${
    social &&
    html`
  <meta property="og:type" content="website">
  <meta property="og:title" content="${social.title}">
  <meta property="og:description" content="${social.description}">`
  }${
    social?.image &&
    html`
  <meta property="og:image" content="${social.image}">
  <meta property="og:image:width" content="${PREVIEW_SIZE.width}">
  <meta property="og:image:height" content="${PREVIEW_SIZE.height}">
  <meta name="twitter:card" content="summary_large_image">`
  }
  <meta name="theme-color" content="${GROUNDS.light.page}" media="(prefers-color-scheme: light)">
  <meta name="theme-color" content="${GROUNDS.dark.page}" media="(prefers-color-scheme: dark)">
  ${icon && html`<link rel="icon" href="${icon}">`}
  ${styles.map((style) => inline('style', style))}${scripts.map((text) => inline('script', text))}
</head>
<body>${body}
</body>
</html>
`;
  const contentSecurityPolicy = [...directives, `frame-ancestors ${mayBeFramed ? '*' : "'none'"}`].join('; ');
  return { ...withVersion(document.toString()), contentSecurityPolicy };
}

/**
 * Placeholder for the version of a document that updates itself. It comes before all tenant text, so that replacing the
 * first occurrence never changes such text.
 */
const VERSION = new Html(' data-version=""');

/** Computes the version of a document, and inserts it into a live document. */
function withVersion(text: string): Pick<Document, 'text' | 'version'> {
  const version = createHash('sha256').update(withoutCheckedTime(text)).digest('base64url');
  return { text: text.replace(String(VERSION), ` data-version="${version}"`), version };
}

/** Returns the sources of a document's images. An icon is a `data:` URL. */
function imageSources(hasImages: boolean, icon: string | undefined): string[] {
  const sources = [...(hasImages ? ["'self'"] : []), ...(icon === undefined ? [] : ['data:'])];
  return sources.length > 0 ? sources : ["'none'"];
}

/** Renders a style or script element. Its content is not escaped, so it must come only from this folder. */
function inline(element: 'style' | 'script', text: string): Html {
  return new Html(`<${element}>${text}</${element}>`);
}

/**
 * Returns the styles of an accent color, the only part of the style sheet that an owner chooses. The color is adjusted
 * to the backgrounds of both themes, separately for lines and for links.
 * @throws TypeError if the color is not `#RRGGBB`.
 */
function accentStyles(color: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new TypeError('the accent is not a #RRGGBB color');
  const variables = ({ page, card }: { page: string; card: string }) =>
    `--accent: ${adjustAccent(color, [page, card], 3)}; --link: ${adjustAccent(color, [page, card], 4.5)};`;
  return themed(variables(GROUNDS.light), variables(GROUNDS.dark));
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
