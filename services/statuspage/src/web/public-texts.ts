import { worstStatus } from '../domain/component-status.ts';
import type { AffectedComponent, DisruptionUpdate, ShownDisruption } from '../domain/disruption.ts';
import { statusOfDisruption } from '../domain/shown-status.ts';
import { LANGUAGES, type Texts } from './messages/texts.ts';

/** Maximum number of components that an automatic text names. */
const MAX_NAMES = 3;

/** Returns the title of a page with this name, such as "Acme status". */
export function pageTitle(name: string, texts: Texts): string {
  const containsStatus = Object.values(LANGUAGES).some(({ statusInName }) => statusInName.test(name));
  return containsStatus ? name : texts.text('page.title', { name: texts.isolate(name) });
}

/**
 * Returns the title of a disruption for visitors of a page. The title of an automatic disruption is replaced with the
 * names and the status of the page's components, such as "Search: degraded performance", or with the status alone if
 * none of the page's components is affected. The title is unchanged if a person wrote it.
 */
export function publicTitle(
  disruption: ShownDisruption,
  components: readonly AffectedComponent[],
  texts: Texts,
): string {
  const { title, automaticTitle, omittedComponents } = disruption;
  if (!automaticTitle) return title;
  if (components.length === 0) return texts.text(`status.${statusOfDisruption(disruption)}`);
  const worst = worstStatus(components.map(({ status }) => status));
  return texts.text(`automatic_title.${worst}`, { names: listNames(components, omittedComponents, texts) });
}

/** Returns the title of an entry into which joinFlapping() has joined several disruptions. */
export function flappingTitle(
  disruptions: readonly ShownDisruption[],
  components: readonly AffectedComponent[],
  texts: Texts,
): string {
  const worst = worstStatus(disruptions.flatMap((disruption) => disruption.components.map(({ status }) => status)));
  const total = disruptions.reduce((sum, one) => sum + timeOf(one), 0);
  const [first] = disruptions;
  const automatic = texts.text(`automatic_title.${worst}`, { names: listNames(components, 0, texts) });
  return texts.text('repeated.title', {
    title: first && !first.automaticTitle ? texts.isolate(first.title) : automatic,
    count: disruptions.length,
    total: texts.duration(total),
  });
}

function timeOf({ startedAt, resolvedAt }: ShownDisruption): number {
  return resolvedAt ? resolvedAt.getTime() - startedAt.getTime() : 0;
}

/**
 * Returns the text of a timeline entry for visitors of a page, and whether a person wrote it. People's texts stay
 * unchanged and are Markdown.
 */
export function publicText(
  disruption: ShownDisruption,
  update: DisruptionUpdate,
  components: readonly AffectedComponent[],
  texts: Texts,
): { readonly text: string; readonly isByPerson: boolean } {
  const text = automaticText(disruption, update, components, texts);
  return text === undefined ? { text: update.body, isByPerson: true } : { text, isByPerson: false };
}

function automaticText(
  disruption: ShownDisruption,
  update: DisruptionUpdate,
  components: readonly AffectedComponent[],
  texts: Texts,
): string | undefined {
  const { omittedComponents, startedAt, resolvedAt } = disruption;
  const kind = update.automaticText ?? kindOfOlder(disruption, update);
  switch (kind) {
    case undefined:
      return undefined;
    case 'went_down': {
      const count = components.length + omittedComponents;
      if (components.length === 0) return texts.text('automatic.went_down_no_names');
      return texts.text('automatic.went_down', { names: listNames(components, omittedComponents, texts), count });
    }
    case 'ended':
      if (!resolvedAt) return texts.text('automatic.resolved');
      return texts.text('automatic.ended', { duration: texts.duration(resolvedAt.getTime() - startedAt.getTime()) });
    case 'default_of_status':
      return texts.text(`automatic.${update.status}`);
    default:
      return texts.text(`automatic.${kind}`);
  }
}

/**
 * Returns the kind of text of an automatic entry that was stored without its kind by an older version. Returns
 * undefined if the kind is unknown; the stored text is then shown unchanged.
 */
function kindOfOlder({ updates, hasOlderUpdates }: ShownDisruption, { id, automatic, status }: DisruptionUpdate) {
  if (!automatic) return undefined;
  if (id === updates.at(-1)?.id && !hasOlderUpdates) return 'went_down' as const;
  return status === 'resolved' ? ('ended' as const) : undefined;
}

function listNames(components: readonly AffectedComponent[], omitted: number, texts: Texts): string {
  const shown = components.slice(0, MAX_NAMES).map(({ name }) => name);
  return texts.names(shown, components.length + omitted - shown.length);
}
