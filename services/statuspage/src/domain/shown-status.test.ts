import type { ComponentStatus } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import {
  type DisruptionInForce,
  groupStatus,
  type ImpactInputs,
  impactOnPage,
  type MonitorCondition,
  pageStatus,
  type ShownStatus,
  shownStatus,
} from './shown-status.ts';

const up: MonitorCondition = { enabled: true, state: 'up' };
const down: MonitorCondition = { enabled: true, state: 'down' };
const pending: MonitorCondition = { enabled: true, state: 'pending' };
const stale: MonitorCondition = { enabled: true, state: 'stale' };
const overdue: MonitorCondition = { enabled: true, state: 'up', isOverdue: true };
const overdueWhileDown: MonitorCondition = { enabled: true, state: 'down', isOverdue: true };
const inTime: MonitorCondition = { enabled: true, state: 'up', isOverdue: false };
const disabled: MonitorCondition = { enabled: false, state: 'up' };
const disabledWhileDown: MonitorCondition = { enabled: false, state: 'down' };

/**
 * Rows of the table: a description, the statuses that disruptions give to the component, the conditions of its
 * monitors, and the status that visitors see.
 */
const components: [string, ComponentStatus[], (MonitorCondition | undefined)[], ShownStatus][] = [
  ['it has no disruptions and no monitors', [], [], 'operational'],
  ['a person reported it as operational', ['operational'], [], 'operational'],
  ['its monitor is up', [], [up], 'operational'],
  ['its monitor is down and has an open disruption', ['major_outage'], [down], 'major_outage'],
  ['its monitor was linked as degraded while it was down', ['degraded_performance'], [down], 'degraded_performance'],
  ['a person resolved the disruption of a monitor that is down', [], [down], 'operational'],
  ['its monitor was never checked', [], [pending], 'no_data'],
  ['its monitor is stale', [], [stale], 'no_data'],
  ['its monitor is up and was checked in time', [], [inTime], 'operational'],
  ['its monitor was up, but its last check is too long ago', [], [overdue], 'no_data'],
  ['one of its monitors was checked in time, another was not', [], [inTime, overdue], 'no_data'],
  ['its monitor is down, and its last check is too long ago', ['major_outage'], [overdueWhileDown], 'major_outage'],
  ['an outage was resolved by hand, and the last check is too long ago', [], [overdueWhileDown], 'no_data'],
  ['its monitor is disabled and was last checked long ago', [], [{ ...disabled, isOverdue: true }], 'not_monitored'],
  ['its monitor is disabled', [], [disabled], 'not_monitored'],
  ['a person disabled its monitor while the monitor was down', [], [disabledWhileDown], 'not_monitored'],
  ['its monitor was disabled automatically, and the outage is open', ['major_outage'], [disabled], 'major_outage'],
  ['a person reports an outage while its monitor is up', ['partial_outage'], [up], 'partial_outage'],
  ['it has no monitors, and a person reports an outage', ['partial_outage'], [disabled], 'partial_outage'],
  ['maintenance is in progress', ['under_maintenance'], [up], 'under_maintenance'],
  ['an outage happens during maintenance', ['under_maintenance', 'major_outage'], [down], 'major_outage'],
  ['several disruptions are open', ['degraded_performance', 'partial_outage'], [up], 'partial_outage'],
  ['one of its monitors is up, another is new', [], [up, pending], 'operational'],
  ['one of its monitors is up, another is stale', [], [up, stale], 'no_data'],
  ['one of its monitors is up, another is disabled', [], [up, disabled], 'operational'],
  ['one of its monitors is new, another is disabled', [], [pending, disabled], 'no_data'],
  ['its monitor has no recorded condition', [], [undefined], 'operational'],
];

test.each(components)('when %s, visitors see the component as %4$s', (_, inForce, monitors, shown) => {
  expect(shownStatus(inForce, monitors)).toBe(shown);
  expect(shownStatus(inForce.toReversed(), monitors.toReversed())).toBe(shown);
});

const outage = (impact: DisruptionInForce['impact']): DisruptionInForce => ({ type: 'disruption', impact });
const maintenance: DisruptionInForce = { type: 'maintenance', impact: 'critical' };

describe('the banner', () => {
  test.each<[ShownStatus[], DisruptionInForce[], ReturnType<typeof pageStatus>]>([
    [[], [], 'no_components'],
    [['operational', 'operational'], [], 'operational'],
    [['operational', 'degraded_performance'], [], 'degraded_performance'],
    [['operational', 'no_data', 'major_outage'], [], 'major_outage'],
    [['operational', 'no_data'], [], 'partly_known'],
    [['operational', 'not_monitored'], [], 'partly_known'],
    [['no_data', 'not_monitored'], [], 'no_data'],
    [['not_monitored'], [], 'not_monitored'],
    [['operational'], [outage('minor')], 'degraded_performance'],
    [['operational'], [outage('major')], 'partial_outage'],
    [['operational'], [outage('critical')], 'major_outage'],
    [[], [outage('critical')], 'major_outage'],
    [['degraded_performance'], [outage('critical')], 'major_outage'],
    [['major_outage'], [outage('minor')], 'major_outage'],
    [['operational'], [maintenance], 'under_maintenance'],
    [['under_maintenance', 'operational'], [maintenance, outage('minor')], 'degraded_performance'],
  ])('for components %j and disruptions %j, the banner shows %s', (statuses, disruptions, banner) => {
    expect(pageStatus(statuses, disruptions)).toBe(banner);
    expect(pageStatus(statuses.toReversed(), disruptions.toReversed())).toBe(banner);
  });
});

test.each<[ShownStatus[], ShownStatus]>([
  [['operational', 'operational'], 'operational'],
  [['operational', 'no_data'], 'no_data'],
  [['not_monitored', 'not_monitored'], 'not_monitored'],
  [['no_data', 'partial_outage'], 'partial_outage'],
])('the status of a group with components %j is %s', (statuses, summary) => {
  expect(groupStatus(statuses)).toBe(summary);
});

describe('the impact on a page', () => {
  const outages: Pick<ImpactInputs, 'onPage' | 'everywhere'> = {
    onPage: ['operational', 'degraded_performance'],
    everywhere: ['degraded_performance', 'major_outage', 'operational'],
  };

  test.each<[string, ImpactInputs, DisruptionInForce['impact']]>([
    ['of an automatic disruption', { autoCreated: true, impact: 'critical', ...outages }, 'minor'],
    ['that a person chose', { autoCreated: true, impact: 'major', ...outages }, 'major'],
    ['of a disruption by a person', { autoCreated: false, impact: 'critical', ...outages }, 'critical'],
    ['without components', { autoCreated: true, impact: 'critical', ...outages, onPage: [] }, 'critical'],
  ])('%s', (_, inputs, impact) => {
    expect(impactOnPage(inputs)).toBe(impact);
  });
});
