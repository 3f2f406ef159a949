import ical, { ICalEventStatus } from 'ical-generator';
import { affectedOn } from '../../domain/disruption.ts';
import { Markdown } from '../markdown.ts';
import { publicText, publicTitle } from '../public-texts.ts';
import type { Shown } from './statuspage-v2.ts';

/** Duration of a maintenance in the calendar if its end is not planned. */
const DEFAULT_DURATION_MS = 3_600_000;

/** Renders a calendar of the maintenances that are scheduled or in progress (RFC 5545). */
export function maintenanceCalendar(shown: Shown, title: string): string {
  const { page, disruptions } = shown.content;
  const calendar = ical({ name: title, url: shown.url, prodId: { company: 'Tocsin', product: 'Status pages' } });
  const markdown = new Markdown();
  for (const maintenance of disruptions.shown) {
    const { id, type, startedAt, endsAt, resolvedAt, createdAt, updatedAt, updates } = maintenance;
    if (type !== 'maintenance' || resolvedAt) continue;
    const affected = affectedOn(maintenance, page.id);
    const [latest] = updates;
    const entry = latest && publicText(maintenance, latest, affected, shown.texts);
    calendar.createEvent({
      id,
      start: startedAt,
      end: endsAt ?? new Date(startedAt.getTime() + DEFAULT_DURATION_MS),
      stamp: updatedAt,
      created: createdAt,
      lastModified: updatedAt,
      summary: publicTitle(maintenance, affected, shown.texts),
      description: entry ? (entry.isByPerson ? markdown.text(entry.text) : entry.text) : null,
      status: ICalEventStatus.CONFIRMED,
      url: `${shown.url}/incidents/${id}`,
    });
  }
  return `${calendar}`;
}
