import { expect, test } from 'vitest';
import { notices } from '../../test/notices.ts';
import { incidentOf } from './incident.ts';

test.each([
  [notices.down, { key: 'tocsin-monitor-m1', isOver: false, isUrgent: true }],
  [notices.stale, { key: 'tocsin-monitor-m1', isOver: false, isUrgent: false }],
  [notices.recovered, { key: 'tocsin-monitor-m1', isOver: true, isUrgent: false }],
  [notices.certExpiring, { key: 'tocsin-certificate-m1', isOver: false, isUrgent: false }],
  [notices.test, { key: 'tocsin-test-d1', isOver: false, isUrgent: false }],
])('$kind', (notice, incident) => {
  expect(incidentOf(notice)).toEqual(incident);
});
