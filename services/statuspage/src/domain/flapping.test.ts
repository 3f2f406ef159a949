import { expect, test } from 'vitest';
import type { ShownDisruption } from './disruption.ts';
import { joinFlapping } from './flapping.ts';

function ended(id: string, resolved: string, changes: Partial<ShownDisruption> = {}, ...names: string[]) {
  const resolvedAt = new Date(`2026-03-${resolved}Z`);
  const startedAt = new Date(resolvedAt.getTime() - 60_000);
  const update = {
    status: 'resolved',
    body: 'x works again',
    automatic: true,
    automaticText: undefined,
    editedAt: undefined,
    silent: false,
  } as const;
  const disruption: ShownDisruption = {
    id,
    organizationId: 'o1',
    title: 'x is down',
    automaticTitle: true,
    type: 'disruption',
    status: 'resolved',
    impact: 'minor',
    autoCreated: true,
    startedAt,
    endsAt: undefined,
    resolvedAt,
    updates: [{ ...update, id: `u-${id}`, postedAt: resolvedAt }],
    hasOlderUpdates: false,
    components: (names.length > 0 ? names : ['Search']).map((name) => ({
      id: name,
      name,
      status: 'degraded_performance',
      statusPageId: 'p1',
    })),
    omittedComponents: 0,
    statusPageIds: ['p1'],
    createdAt: startedAt,
    updatedAt: resolvedAt,
  };
  return { ...disruption, ...changes };
}

function joined(...disruptions: ShownDisruption[]): string[] {
  return joinFlapping(disruptions, 'p1').map((entry) =>
    entry.kind === 'one' ? entry.disruption.id : entry.disruptions.map(({ id }) => id).join('+'),
  );
}

const three = [ended('c', '02T12:00'), ended('b', '02T11:00'), ended('a', '02T10:00')] as const;
const [last, middle, first] = three;
const entered = { automaticTitle: false, autoCreated: false, createdAt: new Date('2026-03-05T00:00Z') };
const byAPerson = [{ ...(first.updates[0] ?? { id: 'u' }), automatic: false }] as ShownDisruption['updates'];

test.each<[string, ShownDisruption[], string[]]>([
  ['three disruptions of the same components on one day are one entry', [...three], ['c+b+a']],
  ['two disruptions are not joined', [last, middle], ['c', 'b']],
  [
    'other disruptions between joined ones keep their position',
    [last, ended('x', '02T11:30', {}, 'Web'), middle, first],
    ['c+b+a', 'x'],
  ],
  [
    'disruptions of different components are not joined',
    [last, middle, ended('a', '02T10:00', {}, 'Web')],
    ['c', 'b', 'a'],
  ],
  [
    'a disruption of additional components is not joined',
    [last, middle, ended('a', '02T10:00', {}, 'Search', 'Web')],
    ['c', 'b', 'a'],
  ],
  [
    'the order of the components does not matter',
    [
      ended('c', '02T12:00', {}, 'Web', 'Search'),
      ended('b', '02T11:00', {}, 'Search', 'Web'),
      ended('a', '02T10:00', {}, 'Web', 'Search'),
    ],
    ['c+b+a'],
  ],
  ['the day ends at midnight in UTC', [ended('c', '03T00:00'), ended('b', '02T23:59:59'), first], ['c', 'b', 'a']],
  ['the first moment of the day belongs to it', [last, middle, ended('a', '02T00:00')], ['c+b+a']],
  [
    'disruptions with equal titles that people entered after their end are one entry',
    three.map((one) => ({ ...one, ...entered })),
    ['c+b+a'],
  ],
  [
    'an entered disruption with another title is not joined',
    [...three.slice(0, 2).map((one) => ({ ...one, ...entered })), { ...first, ...entered, title: 'y' }],
    ['c', 'b', 'a'],
  ],
  ['entered and automatic disruptions are not joined', [last, middle, { ...first, ...entered }], ['c', 'b', 'a']],
  [
    'a disruption with a title from a person is not joined',
    [last, middle, { ...first, automaticTitle: false }],
    ['c', 'b', 'a'],
  ],
  [
    'a disruption with a text from a person is not joined',
    [last, middle, { ...first, updates: byAPerson }],
    ['c', 'b', 'a'],
  ],
  [
    'a disruption with an incomplete timeline is not joined',
    [last, middle, { ...first, hasOlderUpdates: true }],
    ['c', 'b', 'a'],
  ],
  [
    'disruptions without components of the page are not joined',
    three.map((one) => ({ ...one, components: [] })),
    ['c', 'b', 'a'],
  ],
])('in a list of ended disruptions, %s', (_, disruptions, entries) => {
  expect(joined(...disruptions)).toEqual(entries);
});
