import type { WriteNotice } from '../app/ports.ts';
import { affectedOn, type Disruption } from '../domain/disruption.ts';
import { statusIn } from './disruptions-html.ts';
import { Markdown } from './markdown.ts';
import { type Texts, textsOf } from './messages/texts.ts';
import { publicText, publicTitle } from './public-texts.ts';
import { STATUS_COLORS } from './status-colors.ts';

/** Writes the email about a timeline entry. It says what the page shows, so it contains no names of monitors. */
export const writeNotice: WriteNotice = ({ id: pageId, name, locale }, url, { disruption, updateId }) => {
  const update = disruption.updates.find((candidate) => candidate.id === updateId);
  if (!update) return undefined;
  const texts = textsOf(locale);
  const components = affectedOn(disruption, pageId);
  const headline = texts.text('notice.headline', {
    status: texts.text(`update.${update.status}`),
    title: texts.isolate(publicTitle(disruption, components, texts)),
  });
  const { text, isByPerson } = publicText(disruption, update, components, texts);
  const names = texts.names(
    components.map(({ name }) => name),
    disruption.omittedComponents,
  );
  const isOver = update.status === 'resolved' || update.status === 'completed';
  return {
    disruptionId: disruption.id,
    updateId,
    subject: texts.text('page.title_below', { title: headline, name: texts.isolate(name) }),
    headline,
    body: isByPerson ? new Markdown().text(text) : text,
    color: STATUS_COLORS[isOver ? 'operational' : statusIn(disruption, components)].light,
    details: [
      ...(disruption.type === 'maintenance'
        ? [{ label: texts.text('notice.period'), value: periodOf(disruption, texts) }]
        : []),
      ...(components.length === 0 ? [] : [{ label: texts.text('affected.label'), value: names }]),
    ],
    url: `${url}/incidents/${disruption.id}`,
  };
};

/** Returns the period of a maintenance, or its start if no end is planned. */
function periodOf(
  { startedAt, endsAt, resolvedAt }: Pick<Disruption, 'startedAt' | 'endsAt' | 'resolvedAt'>,
  texts: Texts,
): string {
  // A maintenance that was called off before its start has only a planned period.
  const end = resolvedAt && resolvedAt >= startedAt ? resolvedAt : endsAt;
  const [from, to] = [startedAt, end].map((time) => time && texts.time(time));
  return to === undefined ? `${from}` : `${from} – ${to}`;
}
