import { FieldErrorCollector } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { MAX_COMPONENTS } from './disruption.ts';
import { checkNew, type NewDisruption, openByPerson } from './new-disruption.ts';
import { isWhole, publicationOf, type WantedPublication } from './publication.ts';

const now = new Date('2026-01-01T10:00:00Z');
const later = new Date('2026-01-01T11:00:00Z');
const wanted: NewDisruption = {
  title: 'Slow',
  type: 'disruption',
  impact: 'major',
  startedAt: undefined,
  endsAt: undefined,
  message: '',
};

function fieldsOf(check: (problems: FieldErrorCollector) => void): unknown {
  const problems = new FieldErrorCollector();
  check(problems);
  try {
    problems.throwIfAny();
  } catch (error) {
    return (error as { fields: unknown }).fields;
  }
  return {};
}

test('a new disruption is `investigating`, has one entry, and starts now by default', () => {
  const posting = { updateId: 'u1', now, postedBy: 'jane@example.com' };
  const open = (input: Partial<NewDisruption>) =>
    openByPerson({ ...wanted, ...input, publication: undefined }, { id: 'd1', organizationId: 'o1', posting });
  expect(open({})).toEqual({
    id: 'd1',
    organizationId: 'o1',
    title: 'Slow',
    automaticTitle: false,
    type: 'disruption',
    status: 'investigating',
    impact: 'major',
    origin: { kind: 'person' },
    startedAt: now,
    endsAt: undefined,
    dueAt: undefined,
    resolvedAt: undefined,
    updates: [
      {
        id: 'u1',
        status: 'investigating',
        body: 'We are looking into it.',
        automaticText: 'default_of_status',
        explanation: undefined,
        automatic: false,
        postedAt: now,
        postedBy: 'jane@example.com',
        editedAt: undefined,
        silent: false,
      },
    ],
    affectedComponents: [],
    statusPageIds: [],
    hiddenPageIds: [],
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  });
  expect(open({ startedAt: later, message: 'Since noon.' })).toMatchObject({
    startedAt: later,
    dueAt: undefined,
    updates: [{ body: 'Since noon.', automaticText: undefined }],
  });
});

test.each<[string, Partial<NewDisruption>, object]>([
  ['a title of 255 characters', { title: '🛒'.repeat(255) }, {}],
  ['a title of 256 characters', { title: '🛒'.repeat(256) }, { title: ['must be at most 255 characters'] }],
  ['a message of 10000 characters', { message: 'x'.repeat(10_000) }, {}],
  ['a message of 10001 characters', { message: 'x'.repeat(10_001) }, { message: ['must be at most 10000 characters'] }],
  ['a planned end of a disruption', { endsAt: later }, { ends_at: ['is only possible for maintenance'] }],
  ['a planned end of a maintenance', { type: 'maintenance', endsAt: later }, {}],
  [
    'a planned end at the default start',
    { type: 'maintenance', endsAt: now },
    { ends_at: ['must be after started_at'] },
  ],
  [
    'a planned end before the start',
    { type: 'maintenance', startedAt: later, endsAt: now },
    { ends_at: ['must be after started_at'] },
  ],
  [
    'a missing title, and a start in the year 3000',
    { title: '', startedAt: new Date('3000-01-01T00:00:00Z') },
    { title: ['is required'], started_at: ['must lie between the years 1900 and 2999'] },
  ],
])('only invalid fields of a new disruption get errors: %s', (_, input, fields) => {
  expect(fieldsOf((problems) => checkNew({ ...wanted, ...input }, now, problems))).toEqual(fields);
});

const operational = { id: 'c1', status: 'operational' } as const;

test.each<[string, WantedPublication, object]>([
  ['a request with no page and no components is valid', { statusPageId: undefined, components: undefined }, {}],
  ['a request with both is valid', { statusPageId: 'p1', components: [operational] }, {}],
  [
    'a request with only a page is invalid',
    { statusPageId: 'p1', components: undefined },
    { components: ['is required together with status_page_id'] },
  ],
  [
    'a request with only components is invalid',
    { statusPageId: undefined, components: [operational] },
    { status_page_id: ['is required together with components'] },
  ],
])('a publication needs both a page and components: %s', (_, publication, fields) => {
  expect(fieldsOf((problems) => void isWhole(publication, problems))).toEqual(fields);
});

test('errors name each invalid component', () => {
  const names = new Map([['c1', 'API']]);
  const components = [
    operational,
    { ...operational, id: 'C1' },
    { id: 'c2', status: undefined },
    { ...operational, id: '' },
  ];
  const asked = { statusPageId: 'p1', components };
  expect(fieldsOf((problems) => void publicationOf(asked, names, problems))).toEqual({
    'components.1.id': ['appears twice'],
    'components.2.id': ['is not a component of this page'],
    'components.2.status': ['is required'],
    'components.3.id': ['is required'],
  });
  expect(
    fieldsOf((problems) => void publicationOf({ ...asked, components: [operational] }, undefined, problems)),
  ).toEqual({
    status_page_id: ['is not a status page of this organization'],
  });
});

test.each([
  [MAX_COMPONENTS, {}],
  [MAX_COMPONENTS + 1, { components: [`must be at most ${MAX_COMPONENTS}, and has ${MAX_COMPONENTS + 1}`] }],
])('a disruption that affects %i components of a page has the errors %j', (count, fields) => {
  const ids = Array.from({ length: count }, (_, index) => `c${index}`);
  const names = new Map(ids.map((id) => [id, 'API']));
  const asked = { statusPageId: 'p1', components: ids.map((id) => ({ id, status: 'operational' as const })) };
  expect(fieldsOf((problems) => void publicationOf(asked, names, problems))).toEqual(fields);
});
