import { expect, test } from 'vitest';
import { nextDownStep, startDownWatch, stepOfDisruptions } from './auto-disable.ts';

const HOUR = 3_600_000;
const downSince = new Date('2026-11-20T10:00:00Z');
const after = (hours: number) => new Date(downSince.getTime() + hours * HOUR);

/** Returns the auto-disable step at each of the given times. The times are in hours after the monitor went down. */
function story(...looks: number[]): string[] {
  let watch = startDownWatch(downSince);
  return looks.map((hours) => {
    const step = nextDownStep(watch, after(hours));
    if (step.kind !== 'warn') return step.kind;
    watch = step.watch;
    return `warn, end at ${(step.disableAt.getTime() - downSince.getTime()) / HOUR}`;
  });
}

test.each([
  [
    'a monitor gets warnings after 24 hours and one hour before it is disabled',
    [23.9, 24, 24.1, 46.9, 47, 47.9, 48],
    ['wait', 'warn, end at 48', 'wait', 'wait', 'warn, end at 48', 'wait', 'disable'],
  ],
  [
    'a delayed first step sends one warning and disables the monitor an hour later',
    [60, 60.9, 61],
    ['warn, end at 61', 'wait', 'disable'],
  ],
  [
    'a delayed last step disables the monitor without another warning',
    [24, 47, 90],
    ['warn, end at 48', 'warn, end at 48', 'disable'],
  ],
])('auto-disable of a monitor that stays down: %s', (_name, looks, expected) => {
  expect(story(...looks)).toEqual(expected);
});

/**
 * Returns the auto-disable step after each automatic disruption. `hours` are the times at which the disruptions opened.
 */
function disruptions(...hours: number[]): string[] {
  const opened: { at: Date; warned: boolean }[] = [];
  return hours.map((hour) => {
    const { kind } = stepOfDisruptions([...opened, { at: after(hour), warned: false }]);
    opened.push({ at: after(hour), warned: kind === 'warn' });
    return kind;
  });
}

const often = (count: number, step: number) => Array.from({ length: count }, (_, index) => index * step);

test('the 8th automatic disruption in 24 hours causes a warning, and the 11th disables the monitor', () => {
  expect(disruptions(...often(11, 2))).toEqual([
    ...often(7, 0).map(() => 'leave'),
    ...['warn', 'leave', 'leave', 'disable'],
  ]);
});

test('a disruption that is 24 hours old no longer counts', () => {
  expect(disruptions(...often(30, 24 / 10)).filter((kind) => kind !== 'leave')).toEqual(['warn', 'warn', 'warn']);
  expect(disruptions(...often(30, 24 / 10 - 0.01))).toContain('disable');
});

test('while disruptions stay frequent, the warning is repeated every 24 hours', () => {
  expect(disruptions(...often(40, 3)).filter((kind) => kind === 'warn')).toHaveLength(5);
});
