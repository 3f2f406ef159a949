import type { ComponentStatus } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import { openAutomatic, recordAutoDisable, relink, resolveAutomatic } from './automatic-disruption.ts';
import type { AffectedComponent } from './component.ts';
import { componentsNow, type OpenDisruption } from './disruption.ts';
import { type AutoDisabled, type DownEnded, decide, type MonitorEvent, type WentDownWithId } from './monitor-event.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const monitor = { id: 'm1', name: 'Shop' };
const wentDown: WentDownWithId = {
  kind: 'went_down',
  outageId: 'd1',
  monitor,
  at: at('10:00:00'),
  explanation: '1 of 1 regions failed',
};
const ended = (kind: DownEnded['kind'], time = '10:05:00'): DownEnded => ({ kind, monitor, at: at(time) });
const startedOver: MonitorEvent = { kind: 'started_over', monitor, at: at('10:05:00') };
const autoDisabled: AutoDisabled = { kind: 'auto_disabled', reason: 'down_too_long', monitor, at: at('10:05:00') };
const posting = (updateId: string, time: string) => ({ updateId, now: at(time), postedBy: 'tocsin@example.com' });

function component(id: string, status: ComponentStatus): AffectedComponent {
  return { id, name: `Component ${id}`, statusPageId: 'p1', status };
}

function opened(...components: AffectedComponent[]): OpenDisruption {
  return openAutomatic(wentDown, components, { organizationId: 'o1', posting: posting('u1', '10:00:01') });
}

describe('decide()', () => {
  const open = opened();
  const cases: [string, OpenDisruption | undefined, MonitorEvent, string][] = [
    ['a monitor that goes down opens a disruption', undefined, wentDown, 'open'],
    ['a repeated down does not change the open disruption', open, wentDown, 'leave'],
    ['another outage replaces the open disruption', open, { ...wentDown, outageId: 'd2' }, 'replace'],
    [
      'an outage without an id does not change the open disruption',
      open,
      { ...wentDown, outageId: undefined },
      'leave',
    ],
    ['a recovery resolves the disruption', open, ended('recovered'), 'resolve'],
    ['enabling the monitor again does not change the open disruption', open, startedOver, 'leave'],
    ['the disruption of a monitor that a person disables is resolved', open, ended('disabled'), 'resolve'],
    ['the disruption of a monitor that the system disables gets an entry', open, autoDisabled, 'note'],
    ['if the system disables a monitor without an open disruption, nothing changes', undefined, autoDisabled, 'leave'],
    ['the disruption of a deleted monitor is resolved', open, ended('deleted'), 'resolve'],
    ['a recovery without an open disruption has no effect', undefined, ended('recovered'), 'leave'],
    ['a deletion without an open disruption has no effect', undefined, ended('deleted'), 'leave'],
  ];
  test.each(cases)('after a monitor event: %s', (_, given, when, then) => {
    expect(decide(given, when).kind).toBe(then);
  });
});

describe('an automatic disruption', () => {
  test('an automatic disruption contains the monitor, the time and the reason', () => {
    const disruption = opened(component('c1', 'partial_outage'));
    expect(disruption).toMatchObject({
      id: wentDown.outageId,
      title: 'Shop is down',
      type: 'disruption',
      status: 'investigating',
      origin: { kind: 'monitor', monitorId: 'm1' },
      startedAt: at('10:00:00'),
      resolvedAt: undefined,
      createdAt: at('10:00:01'),
    });
    expect(disruption.updates).toEqual([
      {
        id: 'u1',
        status: 'investigating',
        body: 'Shop is not working as expected. We are investigating.',
        automaticText: 'went_down',
        explanation: '1 of 1 regions failed',
        automatic: true,
        postedAt: at('10:00:01'),
        postedBy: 'tocsin@example.com',
        editedAt: undefined,
        silent: false,
      },
    ]);
  });

  test.each([
    [['major_outage'], 'critical'],
    [['partial_outage'], 'major'],
    [['degraded_performance'], 'minor'],
    [['degraded_performance', 'major_outage', 'partial_outage'], 'critical'],
    [[], 'major'],
  ] as const)('if the affected components have the statuses %j, the impact is %s', (statuses, impact) => {
    expect(opened(...statuses.map((status, index) => component(`c${index}`, status))).impact).toBe(impact);
  });

  test('the worst component is listed first, and components with the same status keep their order', () => {
    const { affectedComponents } = opened(
      component('c1', 'degraded_performance'),
      component('c2', 'major_outage'),
      component('c3', 'major_outage'),
    );
    expect(affectedComponents.map(({ id }) => id)).toEqual(['c2', 'c3', 'c1']);
  });

  test('a recovery resolves the disruption, sets all components to operational and states the duration', () => {
    const open = opened(component('c1', 'major_outage'), component('c2', 'partial_outage'));
    const resolved = resolveAutomatic(open, ended('recovered', '12:05:00'), posting('u2', '12:05:02'));
    expect(resolved).toMatchObject({ status: 'resolved', resolvedAt: at('12:05:00'), updatedAt: at('12:05:02') });
    expect(componentsNow(resolved).map(({ status }) => status)).toEqual(['operational', 'operational']);
    expect(resolved.updates.map(({ id, status }) => [id, status])).toEqual([
      ['u2', 'resolved'],
      ['u1', 'investigating'],
    ]);
    expect(resolved.updates[0]).toMatchObject({
      body: 'Shop works again. It was down for 2 h 5 min.',
      automaticText: 'ended',
    });
  });

  test('another outage resolves the disruption and states the duration until then', () => {
    const next: WentDownWithId = { ...wentDown, outageId: 'd2', at: at('12:05:00') };
    const resolved = resolveAutomatic(opened(), next, posting('u2', '12:05:02'));
    expect(resolved).toMatchObject({ id: 'd1', status: 'resolved', resolvedAt: at('12:05:00') });
    expect(resolved.updates[0]).toMatchObject({
      body: 'Shop went down again, so this was closed after 2 h 5 min.',
      automaticText: 'ended',
    });
  });

  test('if clocks differ and an automatic disruption would end before its start, resolvedAt is set to the start', () => {
    const resolved = resolveAutomatic(opened(), ended('disabled', '09:59:00'), posting('u2', '09:59:00'));
    expect(resolved.resolvedAt).toEqual(at('10:00:00'));
  });
});

describe('when the system disables a monitor', () => {
  test.each([
    ['down_too_long', 'Automatic checks were paused after 48 hours; this is updated by hand.'],
    [
      'too_many_disruptions',
      'Automatic checks were paused after too many disruptions within 24 hours; this is updated by hand.',
    ],
  ] as const)(
    'if the reason is %s, the disruption stays open with the same components and gets the entry: %s',
    (reason, body) => {
      const before: OpenDisruption = { ...opened(component('c1', 'major_outage')), status: 'identified' };
      const recorded = recordAutoDisable(before, { ...autoDisabled, reason }, posting('u2', '10:05:00'));
      expect(recorded).toMatchObject({ status: 'identified', resolvedAt: undefined, updatedAt: at('10:05:00') });
      expect(recorded.affectedComponents).toEqual(before.affectedComponents);
      expect(recorded.updates.map(({ body: text, status }) => [text, status])).toEqual([
        [body, 'identified'],
        [before.updates[0]?.body, 'investigating'],
      ]);
      expect(recorded.updates[0]?.automaticText).toBe(`paused_${reason}`);
    },
  );
});

describe('relink()', () => {
  const now = at('10:10:00');
  const later = (id: string, status: ComponentStatus): AffectedComponent => ({
    ...component(id, status),
    statusPageId: 'p2',
  });

  test('a new link publishes the open disruption to the page of the linked component', () => {
    const linked = relink(opened(), [later('c2', 'partial_outage')], now);
    expect(linked).toMatchObject({
      affectedComponents: [{ id: 'c2', status: 'partial_outage' }],
      statusPageIds: ['p2'],
      updatedAt: now,
    });
  });

  test('a new link keeps the statuses that people set for other components', () => {
    const before = { ...opened(component('c1', 'major_outage')), affectedComponents: [component('c1', 'operational')] };
    const linked = relink(before, [component('c1', 'major_outage'), later('c2', 'degraded_performance')], now);
    expect(linked.affectedComponents.map(({ id, status }) => [id, status])).toEqual([
      ['c2', 'degraded_performance'],
      ['c1', 'operational'],
    ]);
    expect(linked.statusPageIds).toEqual(['p1', 'p2']);
  });

  test('a new link does not publish the disruption to a page from which a person removed it', () => {
    const before = { ...opened(component('c1', 'major_outage')), hiddenPageIds: ['p2'] };
    expect(relink(before, [later('c2', 'major_outage')], now)).toBe(before);
  });

  test('a new link can raise the impact of the disruption but not lower it', () => {
    const before = opened(component('c1', 'partial_outage'));
    expect(relink(before, [later('c2', 'major_outage')], now).impact).toBe('critical');
    expect(relink(before, [later('c2', 'degraded_performance')], now).impact).toBe('major');
  });

  test('if the links of a monitor change but no component is added, the disruption stays the same', () => {
    const before = opened(component('c1', 'major_outage'));
    expect(relink(before, [component('c1', 'partial_outage')], now)).toBe(before);
    expect(relink(before, [], now)).toBe(before);
  });
});
