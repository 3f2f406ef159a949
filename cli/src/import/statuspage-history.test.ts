import { expect, test } from 'vitest';
import { readHistory } from './statuspage-history.ts';

const incident = {
  id: 'i1',
  name: 'Slow checkout',
  status: 'postmortem',
  impact: 'major',
  created_at: '2024-03-01T10:05:00.000Z',
  started_at: '2024-03-01T10:00:00.000Z',
  resolved_at: '2024-03-01T11:00:00.000Z',
  components: [{ id: 'c1', name: 'Shop' }],
  incident_updates: [
    {
      status: 'postmortem',
      body: 'What we learned',
      created_at: '2024-03-02T09:00:00.000Z',
      affected_components: null,
    },
    {
      status: 'resolved',
      body: 'All is well.',
      created_at: '2024-03-01T11:00:00.000Z',
      display_at: '2024-03-01T11:00:00.000Z',
      affected_components: [
        { code: 'c1', name: 'Web - Shop', old_status: 'partial_outage', new_status: 'operational' },
      ],
    },
    { status: 'investigating', body: 'We look into it.', created_at: '2024-03-01T10:05:00.000Z' },
  ],
};
const maintenance = {
  id: 'm1',
  name: 'New database',
  status: 'completed',
  impact: 'maintenance',
  created_at: '2024-02-01T08:00:00.000Z',
  scheduled_for: '2024-02-02T22:00:00.000+01:00',
  scheduled_until: '2024-02-02T23:00:00.000+01:00',
  components: [],
  incident_updates: [
    { status: 'completed', body: 'Done.', created_at: '2024-02-02T22:00:00.000Z' },
    { status: 'verifying', body: 'Checking.', created_at: '2024-02-02T21:30:00.000Z' },
    { status: 'scheduled', body: 'Planned.', created_at: '2024-02-01T08:00:00.000Z' },
  ],
};

test('if a component was renamed after an incident, the imported incident has the current name and group of the component', () => {
  const { disruptions } = readHistory({
    components: [
      { id: 'g1', name: 'Europe', group: true },
      { id: 'c1', name: 'Store', group: false, group_id: 'g1' },
    ],
    incidents: [incident],
  });
  expect(disruptions[0]?.components).toEqual(['Europe - Store']);
});

test('ended incidents and maintenances become disruptions with their timelines, oldest first', () => {
  const { disruptions, report } = readHistory({
    incidents: [incident, { ...incident, name: 'Now', status: 'monitoring' }],
    scheduled_maintenances: [maintenance],
  });
  expect(disruptions).toEqual([
    {
      title: 'New database',
      started_at: '2024-02-02T21:00:00.000Z',
      components: [],
      componentStatus: 'under_maintenance',
      body: {
        title: 'New database',
        type: 'maintenance',
        impact: 'minor',
        started_at: '2024-02-02T21:00:00.000Z',
        notify: false,
        updates: [
          { status: 'scheduled', message: 'Planned.', posted_at: '2024-02-01T08:00:00.000Z' },
          { status: 'in_progress', message: 'Checking.', posted_at: '2024-02-02T21:30:00.000Z' },
          { status: 'completed', message: 'Done.', posted_at: '2024-02-02T22:00:00.000Z' },
        ],
      },
    },
    {
      title: 'Slow checkout',
      started_at: '2024-03-01T10:00:00.000Z',
      components: ['Shop'],
      componentStatus: 'partial_outage',
      body: {
        title: 'Slow checkout',
        type: 'disruption',
        impact: 'major',
        started_at: '2024-03-01T10:00:00.000Z',
        notify: false,
        updates: [
          { status: 'investigating', message: 'We look into it.', posted_at: '2024-03-01T10:05:00.000Z' },
          { status: 'resolved', message: 'All is well.', posted_at: '2024-03-01T11:00:00.000Z' },
          { status: 'resolved', message: 'What we learned', posted_at: '2024-03-02T09:00:00.000Z' },
        ],
      },
    },
  ]);
  expect(report.describe()).toBe('Not carried over: 1\n  1 × is not over: "Now"\n');
});

test('a timeline that is too long is shortened, but still contains its last entry', () => {
  const long = Array.from({ length: 250 }, (_, index) => ({
    status: index === 249 ? 'resolved' : 'monitoring',
    body: 'x'.repeat(11_000),
    created_at: new Date(Date.UTC(2024, 2, 1, 10, index)).toISOString(),
  }));
  const { disruptions, report } = readHistory({ incidents: [{ ...incident, incident_updates: long }] });
  const updates = disruptions[0]?.body.updates as unknown as { status: string; message: string }[];
  expect(updates).toHaveLength(200);
  expect(updates.at(-1)?.status).toBe('resolved');
  expect(updates.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(64 * 1024);
  expect(report.changed).toBe(1);
});

test('an incident without an update that ends it is not imported', () => {
  const { disruptions, report } = readHistory({ incidents: [{ ...incident, incident_updates: [] }] });
  expect({ disruptions, skipped: report.skipped }).toEqual({ disruptions: [], skipped: 1 });
});

test('updates with the same time keep the order in which they were entered', () => {
  const update = (status: string, created_at: string) => ({
    status,
    body: status,
    created_at,
    display_at: '2017-06-13T14:25:00.000-05:00',
  });
  const incident_updates = [
    update('resolved', '2017-06-16T11:52:02.600-05:00'),
    update('monitoring', '2017-06-16T11:47:46.724-05:00'),
  ];
  const { disruptions, report } = readHistory({ incidents: [{ ...incident, incident_updates }] });
  expect(disruptions[0]?.body.updates).toMatchObject([{ status: 'monitoring' }, { status: 'resolved' }]);
  expect(report.describe()).toBe('');
});

test('the note that an update affected no components is not imported as a component', () => {
  const affected_components = [{ name: 'No components were affected by this update.' }, { name: 'Web - Shop' }];
  const incident_updates = [{ status: 'resolved', body: '', created_at: '2024-03-01T11:00:00Z', affected_components }];
  const { disruptions } = readHistory({ incidents: [{ ...incident, components: [], incident_updates }] });
  expect(disruptions[0]?.components).toEqual(['Web - Shop']);
});
