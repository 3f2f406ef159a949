import { createHash } from 'node:crypto';
import type { Theme } from '@tocsin/enums';
import { Html, html } from '@tocsin/html';
import { parseHttpUrl } from '@tocsin/text';
import { STYLES } from './styles.ts';

export interface Shell {
  readonly title: string;
  readonly description?: string | undefined;
  readonly theme: Theme;
  /** `#RRGGBB`. */
  readonly accent?: string | undefined;
  readonly script?: string | undefined;
  /** Addresses of the images that the body shows. */
  readonly images?: readonly string[];
  readonly body: Html;
}

/** A whole document and the policy that lets a browser run only the scripts in it. */
export interface Document {
  readonly text: string;
  readonly contentSecurityPolicy: string;
}

export function pageShell({ title, description, theme, accent, script, images = [], body }: Shell): Document {
  const styles = accent === undefined ? [STYLES] : [STYLES, `:root { --accent: ${accentOf(accent)}; }`];
  const scripts = script === undefined ? [] : [script];
  const document = html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${description ? html`<meta name="description" content="${description}">` : undefined}
  ${styles.map((style) => inline('style', style))}${scripts.map((text) => inline('script', text))}
</head>
<body>${body}
</body>
</html>
`;
  const policy = {
    'default-src': ["'none'"],
    'style-src': styles.map(hashOf),
    'script-src': scripts.length > 0 ? scripts.map(hashOf) : ["'none'"],
    'img-src': originsOf(images),
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  const contentSecurityPolicy = Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ');
  return { text: document.toString(), contentSecurityPolicy };
}

/**
 * Returns the sources that a page may load images from. URLs are parsed strictly: a host with other characters could
 * end the directive.
 */
function originsOf(images: readonly string[]): string[] {
  const origins = images.flatMap((url) => parseHttpUrl(url)?.origin ?? []);
  return origins.length > 0 ? [...new Set(origins)] : ["'none'"];
}

/** The content of style and script elements is not escaped, so it must be text of this folder. */
function inline(element: 'style' | 'script', text: string): Html {
  return new Html(`<${element}>${text}</${element}>`);
}

/** Returns the only text in a style sheet that an owner chose. */
function accentOf(color: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new TypeError('the accent is not a #RRGGBB color');
  return color;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
