import { expect, test } from 'vitest';
import { notices } from '../../test/notices.ts';
import { incidentOf, sendIncident } from './incident.ts';
import type { Notice } from './notice.ts';

const certificate = { expiresAt: new Date('2026-11-27T12:00:00Z'), daysRemaining: 1 };

test.each([
  [notices.down, { key: 'tocsin-outage-o1', isOver: false, isUrgent: true }],
  [notices.stale, { key: 'tocsin-stale-m1', isOver: false, isUrgent: false }],
  [notices.recovered, { key: 'tocsin-outage-o1', isOver: true, isUrgent: false }],
  [
    { ...notices.recovered, downtimeMs: undefined },
    { key: 'tocsin-stale-m1', isOver: true, isUrgent: false },
  ],
  [notices.certExpiring, { key: 'tocsin-certificate-m1-1795780800-7', isOver: false, isUrgent: false }],
  [
    { ...notices.certExpiring, certificate },
    { key: 'tocsin-certificate-m1-1795780800-1', isOver: false, isUrgent: true },
  ],
  [notices.test, { key: 'tocsin-test-d1', isOver: false, isUrgent: false }],
] satisfies [Notice, object][])('incidentOf() returns the key and urgency for a $kind alert', (notice, incident) => {
  expect(incidentOf(notice)).toEqual(incident);
});

test('an outage without a disruption is identified by its monitor and start', () => {
  const down = { ...notices.down, disruptionId: undefined };
  const recovered = {
    ...notices.recovered,
    disruptionId: undefined,
    at: new Date(down.at.getTime() + 125_000),
  };
  expect(incidentOf(recovered).key).toBe(incidentOf(down).key);
  const next = { ...down, at: new Date('2026-11-20T04:00:00Z') };
  expect(incidentOf(next).key).not.toBe(incidentOf(down).key);
});

test.each([
  [notices.test, 'delivered', [false, true]],
  [notices.test, 'failed', [false]],
  [notices.down, 'delivered', [false]],
] as const)('only the delivery of a test alert closes the incident: row %#', async (notice, kind, closings) => {
  const sent: boolean[] = [];
  const outcome = await sendIncident(notice, async (_, { isOver }) => {
    sent.push(isOver);
    return kind === 'delivered' ? { kind, httpStatus: 202 } : { kind, error: 'no', httpStatus: 500 };
  });
  expect(sent).toEqual(closings);
  expect(outcome.kind).toBe(kind);
});
