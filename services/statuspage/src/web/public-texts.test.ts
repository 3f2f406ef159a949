import type { ComponentStatus, Locale } from '@tocsin/enums';
import { expect, test } from 'vitest';
import type { AffectedComponent, DisruptionUpdate, ShownDisruption } from '../domain/disruption.ts';
import { textsOf } from './messages/texts.ts';
import { flappingTitle, pageTitle, publicText, publicTitle } from './public-texts.ts';

const began = new Date('2026-01-01T10:00:00Z');
const english = textsOf('en');
const posted = { automaticText: undefined, postedAt: began, editedAt: undefined, silent: false };
const start = {
  id: 'u1',
  status: 'investigating',
  body: 'prod-db-3 is not working',
  automatic: true,
  ...posted,
} as const;
const disruption: ShownDisruption = {
  id: 'd1',
  organizationId: 'o1',
  title: 'prod-db-3 via 10.0.0.7 is down',
  type: 'disruption',
  status: 'investigating',
  impact: 'major',
  automaticTitle: true,
  autoCreated: true,
  startedAt: began,
  endsAt: undefined,
  resolvedAt: undefined,
  updates: [start],
  hasOlderUpdates: false,
  components: [],
  omittedComponents: 0,
  statusPageIds: ['p1'],
  createdAt: began,
  updatedAt: began,
};

function components(...statuses: [string, ComponentStatus][]): AffectedComponent[] {
  return statuses.map(([name, status]) => ({ id: name, name, status, statusPageId: 'p1' }));
}

const search = components(['Search', 'degraded_performance']);
const four = components(
  ['API', 'major_outage'],
  ['Search', 'partial_outage'],
  ['Web', 'degraded_performance'],
  ['Mail', 'degraded_performance'],
);

test.each<[string, Partial<ShownDisruption>, AffectedComponent[], string]>([
  ['an automatic disruption names the component', {}, search, 'Search: degraded performance'],
  [
    'an automatic disruption names three components and the worst status',
    {},
    four,
    'API, Search, Web and 1 more: major outage',
  ],
  [
    'an automatic disruption counts the components that are left out',
    { omittedComponents: 2 },
    four,
    'API, Search, Web and 3 more: major outage',
  ],
  [
    'a title from a person is kept, even if it looks like an automatic one',
    { automaticTitle: false, title: 'Search is down' },
    search,
    'Search is down',
  ],
  ['an automatic disruption without components on the page has the status of its impact', {}, [], 'Partial outage'],
  [
    'a critical automatic disruption without components on the page is a major outage',
    { impact: 'critical' },
    [],
    'Major outage',
  ],
])('in the title for visitors, %s', (_, changes, affected, title) => {
  expect(publicTitle({ ...disruption, ...changes }, affected, english)).toBe(title);
});

test('automatic texts name components instead of monitors', () => {
  const end = {
    id: 'u2',
    status: 'resolved',
    body: 'prod-db-3 works again',
    automatic: true,
    ...posted,
  } as const;
  const resolvedAt = new Date('2026-01-01T10:05:00Z');
  const over = { ...disruption, resolvedAt, updates: [end, ...disruption.updates] };
  const [last, first] = over.updates.map((update) => publicText(over, update, search, english).text);
  expect(first).toBe('Search is not working as expected. We are investigating.');
  expect(last).toBe('This is resolved. It lasted 5 minutes.');
});

test('texts that a person wrote are shown completely', () => {
  const body = 'We are on it.\n\nWhat was seen: logins fail with error 502';
  const update = { id: 'u3', status: 'identified', body, automatic: false, ...posted } as const;
  const shown = publicText({ ...disruption, updates: [update, ...disruption.updates] }, update, search, textsOf('ar'));
  expect(shown).toEqual({ text: body, isByPerson: true });
});

test('an automatic entry of unknown kind between start and end is shown as it was stored', () => {
  const body = 'Automatic checks were paused after 48 hours; this is updated by hand.';
  const update = { id: 'u4', status: 'investigating', body, automatic: true, ...posted } as const;
  const shown = publicText({ ...disruption, updates: [update, ...disruption.updates] }, update, search, english);
  expect(shown.text).toBe(body);
});

test('if older entries are left out, the oldest shown entry has its stored text, not the text for the start of a disruption', () => {
  const entry = { ...start, id: 'u2', body: 'It is being repaired.' };
  const long = { ...disruption, updates: [entry], hasOlderUpdates: true };
  expect(publicText(long, entry, search, english).text).toBe('It is being repaired.');
  expect(publicText({ ...long, hasOlderUpdates: false }, entry, search, english).text).toContain(
    'Search is not working',
  );
});

test.each<[DisruptionUpdate['automaticText'], DisruptionUpdate['status'], Locale, string]>([
  ['went_down', 'investigating', 'de', 'Search funktioniert nicht wie erwartet. Wir untersuchen die Ursache.'],
  ['ended', 'resolved', 'fr', 'L’incident est résolu. Il a duré 2\u00a0heures et 5 minutes.'],
  ['ended', 'resolved', 'ar', 'عولج العطل. المدة: ساعتان و5 دقائق.'],
  [
    'paused_down_too_long',
    'investigating',
    'en',
    'Automatic checks were paused after 48 hours; this is updated by hand.',
  ],
  [
    'paused_too_many_disruptions',
    'investigating',
    'es',
    'Las comprobaciones automáticas se pausaron tras demasiadas incidencias en 24 horas; esta información se actualiza manualmente.',
  ],
  ['default_of_status', 'in_progress', 'de', 'Die Wartung hat begonnen.'],
  ['default_of_status', 'resolved', 'en', 'This is resolved.'],
])('the automatic text %s with the status %s is translated to %s', (automaticText, status, locale, text) => {
  const update = { ...start, id: 'u9', automaticText, status, automatic: automaticText !== 'default_of_status' };
  const resolvedAt = status === 'resolved' ? new Date('2026-01-01T12:05:00Z') : undefined;
  // The entry is neither the first nor the last one, so its position does not affect its text.
  const updates = [{ ...start, id: 'u10' }, update, start];
  const shown = publicText({ ...disruption, resolvedAt, updates }, update, search, textsOf(locale));
  expect(shown).toEqual({ text, isByPerson: false });
});

test('an automatic text for a page without affected components names no component', () => {
  expect(publicText(disruption, { ...start, automaticText: 'went_down' }, [], english).text).toBe(
    'Something is not working as expected. We are investigating.',
  );
});

test('the title of an entry for several disruptions has the worst status, the number of disruptions and the total duration', () => {
  const resolvedAt = new Date('2026-01-01T10:01:00Z');
  const over = { ...disruption, resolvedAt, components: search };
  expect(flappingTitle([over, over, over], search, english)).toBe(
    'Search: degraded performance, 3 times, 3 minutes in total',
  );
  const worse = { ...over, components: search.map((one) => ({ ...one, status: 'major_outage' as const })) };
  expect(flappingTitle([worse, over, over], search, english)).toBe('Search: major outage, 3 times, 3 minutes in total');
  expect(flappingTitle([over, over], four, textsOf('de'))).toBe(
    'API, Search, Web und 1 weitere: eingeschränkte Leistung, 2-mal, insgesamt 2 Minuten',
  );
});

test.each<[string, Locale, string]>([
  ['Acme', 'en', 'Acme status'],
  ['Acme Status', 'en', 'Acme Status'],
  ['Acme Status', 'fr', 'Acme Status'],
  ['Status quo', 'en', 'Status quo status'],
  ['Acme', 'fr', 'Statut de Acme'],
  ['Statut Acme', 'fr', 'Statut Acme'],
  ['Statutory', 'fr', 'Statut de Statutory'],
  ['Acme', 'ar', 'حالة \u2068Acme\u2069'],
])('the title of the page %j in the language %s is %j', (name, locale, title) => {
  expect(pageTitle(name, textsOf(locale))).toBe(title);
});
