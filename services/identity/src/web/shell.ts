import { createHash } from 'node:crypto';
import { Html, html } from '@tocsin/html';
import type { User } from '../domain/session.ts';
import { PASSKEY_SCRIPT } from './passkey-script.ts';
import { STYLES } from './styles.ts';

/** A complete HTML document with its content security policy. */
export interface Document {
  readonly text: string;
  readonly contentSecurityPolicy: string;
}

export interface Shell {
  readonly title: string;
  readonly body: Html;
  /** Signed-in user, who is shown with a button for signing out. */
  readonly user?: User | undefined;
  /** Links to related pages. One of them is the current page. */
  readonly navigation?: Navigation | undefined;
  /**
   * Origins or schemes, besides this origin, to which the response to a form may redirect. Browsers apply `form-action`
   * to the redirect as well.
   */
  readonly formTargets?: readonly string[];
  /** Whether the page has the script for passkeys. */
  readonly hasPasskeys?: boolean;
}

export interface Navigation {
  readonly label: string;
  readonly links: readonly { readonly path: string; readonly name: string }[];
  /** Path of the current page. */
  readonly current: string;
}

const ACCOUNT_LINKS = [
  { path: '/account', name: 'Account' },
  { path: '/account/programs', name: 'Programs' },
];

/** Returns the links to the pages of a user's account, with the current page marked. */
export function accountNavigation(current: string): Navigation {
  return { label: 'Account', links: ACCOUNT_LINKS, current };
}

const STYLE_HASH = hashOf(STYLES);
const SCRIPT_HASH = hashOf(PASSKEY_SCRIPT);

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * Returns a page of identity. It loads no external resources, its only script is the one for passkeys, and its forms
 * are submitted only to this origin. The referrer policy is `same-origin`, because with `no-referrer` browsers send
 * `Origin: null` with forms.
 */
export function documentOf({ title, body, user, navigation, formTargets = [], hasPasskeys = false }: Shell): Document {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title} · Tocsin</title>
${new Html(`<style>${STYLES}</style>`)}
</head>
<body>
<div class="page${user ? '' : ' narrow'}">
${header(user)}
${navigation && navigationHtml(navigation)}
<main class="stack">${body}</main>
</div>
${hasPasskeys && new Html(`<script>${PASSKEY_SCRIPT}</script>`)}
</body>
</html>
`.toString();
  const policy = {
    'default-src': "'none'",
    'style-src': `'sha256-${STYLE_HASH}'`,
    ...(hasPasskeys && { 'script-src': `'sha256-${SCRIPT_HASH}'`, 'connect-src': "'self'" }),
    'base-uri': "'none'",
    'form-action': ["'self'", ...formTargets].join(' '),
    'frame-ancestors': "'none'",
  };
  const contentSecurityPolicy = Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
  return { text, contentSecurityPolicy };
}

/** Returns a page with a heading and one sentence. */
export function plainDocument(title: string, text: string): Document {
  return documentOf({ title, body: html`<section class="card"><h1>${title}</h1><p>${text}</p></section>` });
}

function header(user: User | undefined): Html {
  if (!user) return html`<header class="top"><span class="product">Tocsin</span></header>`;
  return html`<header class="top">
<a class="product" href="/account">Tocsin</a>
<form method="post" action="/account/sign-out"><span class="muted">${user.email}</span> <button class="plain">Sign out</button></form>
</header>`;
}

function navigationHtml({ label, links, current }: Navigation): Html {
  const items = links.map(
    ({ path, name }) => html`<a href="${path}"${path === current && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${items}</nav>`;
}
