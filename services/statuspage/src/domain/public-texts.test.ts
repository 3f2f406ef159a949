import type { ComponentStatus } from '@tocsin/enums';
import { expect, test } from 'vitest';
import type { AffectedComponent, ShownDisruption } from './disruption.ts';
import { pageTitle, publicText, publicTitle } from './public-texts.ts';

const began = new Date('2026-01-01T10:00:00Z');
const posted = { postedAt: began, editedAt: undefined, silent: false };
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
  ['a disruption without components on the page keeps its title', { title: 'Shop is down' }, [], 'Shop is down'],
])('in the title for visitors, %s', (_, changes, affected, title) => {
  expect(publicTitle({ ...disruption, ...changes }, affected)).toBe(title);
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
  const [last, first] = over.updates.map((update) => publicText(over, update, search));
  expect(first).toBe('Search is not working as expected. We are investigating.');
  expect(last).toBe('This is resolved. It lasted 5 min.');
});

test('texts that a person wrote are shown completely', () => {
  const body = 'We are on it.\n\nWhat was seen: logins fail with error 502';
  const update = { id: 'u3', status: 'identified', body, automatic: false, ...posted } as const;
  expect(publicText({ ...disruption, updates: [update, ...disruption.updates] }, update, search)).toBe(body);
});

test('an automatic entry between start and end is shown unchanged', () => {
  const body = 'Automatic checks were paused after 48 hours; this is updated by hand.';
  const update = { id: 'u4', status: 'investigating', body, automatic: true, ...posted } as const;
  expect(publicText({ ...disruption, updates: [update, ...disruption.updates] }, update, search)).toBe(body);
});

test('if older entries are left out, the oldest shown entry does not count as the first one', () => {
  const entry = { ...start, id: 'u2', body: 'It is being repaired.' };
  const long = { ...disruption, updates: [entry], hasOlderUpdates: true };
  expect(publicText(long, entry, search)).toBe('It is being repaired.');
  expect(publicText({ ...long, hasOlderUpdates: false }, entry, search)).toContain('Search is not working');
});

test.each([
  ['Acme', 'Acme status'],
  ['Acme Status', 'Acme Status'],
  ['Status quo', 'Status quo status'],
])('the page %j has the title %j', (name, title) => {
  expect(pageTitle(name)).toBe(title);
});
