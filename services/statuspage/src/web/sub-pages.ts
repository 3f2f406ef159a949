import { type Html, html } from '@tocsin/html';
import { isId } from '@tocsin/text';
import type { PageHistory } from '../app/get-page-history.ts';
import type { PublicPage } from '../app/get-public-page.ts';
import { affectedOn, type PageDisruptions, type Selection, type ShownDisruption } from '../domain/disruption.ts';
import { viewPage } from '../domain/page-view.ts';
import type { ShownStatus } from '../domain/shown-status.ts';
import { componentsOf } from '../domain/tree.ts';
import { asOfHtml } from './as-of-notice.ts';
import { disruptionHtml, type Place, statusIn, wholeDisruptionHtml } from './disruptions-html.ts';
import { embedHtml } from './embed-html.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { Markdown } from './markdown.ts';
import type { Texts } from './messages/texts.ts';
import { ownerLinks } from './owner-links.ts';
import { pageScript } from './page-script.ts';
import { type Document, pageShell } from './page-shell.ts';
import { previewPath } from './previews.ts';
import { pageTitle, publicTitle } from './public-texts.ts';
import { faviconOf, ICON_SHAPES, statusBadge } from './status-look.ts';
import { SUBSCRIBE_STEPS, type SubscribeStep, subscribeHtml, subscribeTitle } from './subscribe-html.ts';
import { uptimeHtml } from './uptime-html.ts';

/**
 * A page below a status page: a single disruption, the disruptions of a month, a single component, a one-line status
 * that other sites show in a frame, or a page about subscribing by mail.
 */
export type SubPage =
  | { readonly kind: 'embed' }
  | { readonly kind: 'disruption'; readonly id: string }
  | { readonly kind: 'month'; readonly year: number; readonly month: number }
  | { readonly kind: 'component'; readonly id: string }
  | { readonly kind: 'subscribe'; readonly step: SubscribeStep };

/** Number of past months for which visitors can list the disruptions. */
const MAX_MONTHS = 60;

/** Number of days for which the page of a component lists a disruption after it ends. */
const COMPONENT_DAYS = 90;

const DAY_MS = 24 * 3_600_000;

/** Returns whether a path below a page's address can be the path of a sub-page. */
export function isSubPagePath(path: string): boolean {
  return /^(?:embed|subscribe|history|(?:history|incidents|components|subscribe)\/[^/]+)$/.test(path);
}

/** Returns the sub-page at a path below a page's address; undefined if there is none. */
export function subPageAt(path: string, now: Date): SubPage | undefined {
  const [folder, name = '', ...more] = path.split('/');
  if (more.length > 0) return undefined;
  if (folder === 'incidents' && isId(name)) return { kind: 'disruption', id: name.toLowerCase() };
  if (folder === 'components' && isId(name)) return { kind: 'component', id: name.toLowerCase() };
  if (path === 'embed') return { kind: 'embed' };
  if (path === 'subscribe') return { kind: 'subscribe', step: 'form' };
  if (folder === 'subscribe') {
    const step = SUBSCRIBE_STEPS.find((candidate) => candidate === name);
    return step && step !== 'form' ? { kind: 'subscribe', step } : undefined;
  }
  if (folder !== 'history') return undefined;
  const current = { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1 };
  if (path === 'history') return { kind: 'month', ...current };
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined) return undefined;
  const wanted = { year: Number(year), month: Number(month) };
  const age = (current.year - wanted.year) * 12 + current.month - wanted.month;
  return age >= 0 && age <= MAX_MONTHS ? { kind: 'month', ...wanted } : undefined;
}

/** Returns the disruptions that a sub-page needs. */
export function selectionFor(sub: SubPage, now: Date): Selection {
  switch (sub.kind) {
    case 'embed':
    case 'subscribe':
      return { since: now };
    case 'disruption':
      return { since: new Date(0), id: sub.id };
    case 'component':
      return { since: new Date(now.getTime() - COMPONENT_DAYS * DAY_MS), componentId: sub.id };
    case 'month':
      return { since: startOf(sub), until: startOf({ ...sub, month: sub.month + 1 }) };
  }
}

/** Data from which a sub-page is rendered. */
export interface SubPageContent {
  readonly content: PublicPage;
  /** History of the components; undefined if the page does not show the uptime. */
  readonly history: PageHistory | undefined;
  /** Path or URL of the status page, without a slash at the end. */
  readonly base: string;
  /** Absolute URL of the status page, without a slash at the end. */
  readonly url: string;
  readonly texts: Texts;
  readonly now: Date;
  /** Whether the page is a file in a snapshot. */
  readonly isSnapshot?: boolean;
}

/** Renders a sub-page; undefined if the page has no such disruption or component, or takes no subscribers. */
export function subPageHtml(sub: SubPage, shown: SubPageContent): Document | undefined {
  switch (sub.kind) {
    case 'embed':
      return embedHtml(shown.content, shown);
    case 'disruption': {
      const [disruption] = shown.content.disruptions.shown;
      return disruption && disruptionPage(disruption, shown);
    }
    case 'component':
      return componentPage(sub.id, shown);
    case 'month':
      return monthPage(sub, shown);
    case 'subscribe':
      return shown.content.page.subscribersEnabled ? subscribePage(sub.step, shown) : undefined;
  }
}

/** Returns whether a sub-page shows the history of components. */
export function showsUptime({ kind }: SubPage): boolean {
  return kind === 'disruption' || kind === 'component';
}

function subscribePage(step: SubscribeStep, shown: SubPageContent): Document {
  const { base, texts } = shown;
  const path = step === 'form' ? 'subscribe' : `subscribe/${step}`;
  const main = html`<div class="prose">${subscribeHtml(step, base, texts)}</div>`;
  return shell(shown, path, { title: subscribeTitle(step, texts), main, isStatic: true });
}

function disruptionPage(disruption: ShownDisruption, shown: SubPageContent): Document {
  const { page } = shown.content;
  const affected = affectedOn(disruption, page.id);
  const title = publicTitle(disruption, affected, shown.texts);
  const status = disruption.resolvedAt ? 'operational' : statusIn(disruption, affected);
  const path = `incidents/${disruption.id}`;
  return shell(shown, path, { title, status, main: wholeDisruptionHtml(disruption, placeOf(shown)) });
}

function componentPage(id: string, shown: SubPageContent): Document | undefined {
  const { entries, monitors, disruptions } = shown.content;
  const { texts } = shown;
  const place = placeOf(shown);
  const components = entries.flatMap(componentsOf);
  const component = components.find((one) => one.id === id);
  if (!component) return undefined;
  const status = viewPage(components, monitors, disruptions.shown).statuses.get(id) ?? component.status;
  const affecting = disruptions.shown.filter((disruption) => disruption.components.some((one) => one.id === id));
  const bars = shown.history?.get(id);
  return shell(shown, `components/${id}`, {
    title: component.name,
    text: texts.text(`status.${status}`),
    icon: faviconOf(status),
    status,
    main: html`
      <ul class="card entries" role="list" data-today="${shown.now.toISOString().slice(0, 10)}">
        <li class="component">
          <h2 class="name"><bdi>${component.name}</bdi></h2>
          ${statusBadge(status, texts)}
          ${component.description ? html`<div class="muted prose" dir="auto">${place.markdown.html(component.description)}</div>` : undefined}${bars && uptimeHtml(bars, texts, true)}
        </li>
      </ul>
      <section class="section" aria-labelledby="disruptions">
        <h2 id="disruptions">${texts.text('disruptions.of_component', { count: COMPONENT_DAYS })}</h2>
        ${listHtml(affecting, place)}
        ${omittedHtml(disruptions, texts)}
      </section>`,
  });
}

function monthPage(sub: SubPage & { kind: 'month' }, shown: SubPageContent): Document {
  const { disruptions } = shown.content;
  const { base, texts, now } = shown;
  const title = texts.text('history.title', { month: texts.month(startOf(sub)) });
  const neighbour = (offset: number) => {
    const start = startOf({ ...sub, month: sub.month + offset });
    const path = `history/${start.toISOString().slice(0, 7)}`;
    const target = subPageAt(path, now);
    return target ? html`<a href="${base}/${path}">${texts.month(start)}</a>` : html`<span></span>`;
  };
  const begun = disruptions.shown.filter(({ status }) => status !== 'scheduled');
  const planned = disruptions.shown.filter(({ status }) => status === 'scheduled');
  return shell(shown, `history/${startOf(sub).toISOString().slice(0, 7)}`, {
    title,
    main: html`
      <h2>${title}</h2>
      ${listHtml([...begun, ...planned.toReversed()], placeOf(shown))}
      ${omittedHtml(disruptions, texts)}
      <nav class="months" aria-label="${texts.text('history.months')}">${neighbour(-1)}${neighbour(1)}</nav>`,
  });
}

function listHtml(disruptions: readonly ShownDisruption[], place: Place): Html {
  if (disruptions.length === 0) {
    return html`<p class="card empty muted">${place.texts.text('disruptions.none')}</p>`;
  }
  return html`${disruptions.map((disruption) => disruptionHtml(disruption, place, 3))}`;
}

function omittedHtml({ omittedOpen, omittedEnded }: PageDisruptions, texts: Texts): Html {
  const notes = [
    ...(omittedOpen > 0 ? [texts.text('disruptions.open_omitted', { number: omittedOpen })] : []),
    ...(omittedEnded > 0 ? [texts.text('disruptions.ended_omitted', { number: omittedEnded })] : []),
  ];
  return html`${notes.map((note) => html`<p class="muted">${note}</p>`)}`;
}

/** Content of a sub-page and of its link preview. */
interface Parts {
  readonly title: string;
  readonly main: Html;
  /** Status that the image of the preview shows; undefined for a preview without an image. */
  readonly status?: ShownStatus;
  /** Text of the preview; by default the title of the status page. */
  readonly text?: string;
  readonly icon?: string;
  /** Whether the page contains nothing that changes. It may then contain a form. */
  readonly isStatic?: boolean;
}

/** Renders a sub-page at a path below the status page. */
function shell(
  { content: { page }, base, url, texts, isSnapshot = false }: SubPageContent,
  path: string,
  { title, main, status, text = pageTitle(page.name, texts), icon, isStatic = false }: Parts,
): Document {
  const full = texts.text('page.title_below', { title: texts.isolate(title), name: texts.isolate(page.name) });
  return pageShell({
    texts,
    title: full,
    canonical: `${url}/${path}`,
    social: { title: full, description: text, image: status && `${url}/${previewPath(status)}` },
    ...(icon !== undefined && { icon }),
    theme: page.theme,
    noindex: page.noindex || isStatic,
    accent: page.primaryColor,
    ...(isStatic ? { hasForm: true } : { scripts: [LIVE_SCRIPT, pageScript(texts)], isLive: true }),
    snapshot: isSnapshot ? { pageId: page.id, alivePath: '../../alive.json' } : undefined,
    body: html`${ICON_SHAPES}
  <div class="page">
    <header class="head">
      <h1><a href="${base || '/'}"><bdi>${page.name}</bdi></a></h1>
    </header>
    <main class="below"${isStatic ? undefined : html` data-live`}>
      ${isStatic ? undefined : asOfHtml(texts)}${main}
    </main>
    <footer class="foot muted">
      <p><a href="${base || '/'}">${texts.text('footer.current_status')}</a></p>
      <p><a href="${base}/history">${texts.text('footer.history')}</a></p>
      ${ownerLinks(page, texts)}
    </footer>
  </div>`,
  });
}

function startOf({ year, month }: { readonly year: number; readonly month: number }): Date {
  return new Date(Date.UTC(year, month - 1, 1));
}

function placeOf({ content: { page }, base, texts }: SubPageContent): Place {
  return { pageId: page.id, base, texts, markdown: new Markdown() };
}
