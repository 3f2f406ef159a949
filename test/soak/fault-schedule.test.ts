import { randomOf } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { AT_ONCE, endOf, planFaults, type ScheduleOptions } from './fault-schedule.ts';

const options: ScheduleOptions = {
  count: 300,
  programs: ['monitor', 'notifier', 'gateway'],
  links: [
    { from: 'monitor', to: 'postgres' },
    { from: 'gateway', to: 'monitor' },
  ],
  weights: { kill: 4, pause: 2, cut: 2, clock: 1, 'full disk': 1, 'lost store': 1 },
  everyMs: [1_000, 4_000],
};

test('the same random numbers result in the same plan, and different ones in a different plan', () => {
  expect(planFaults(options, randomOf(1))).toEqual(planFaults(options, randomOf(1)));
  expect(planFaults(options, randomOf(1))).not.toEqual(planFaults(options, randomOf(2)));
});

test('a plan has the requested number of faults, and at least one of every kind', () => {
  const faults = planFaults(options, randomOf(3));
  expect(faults).toHaveLength(options.count);
  expect(new Set(faults.map(({ disturbance }) => disturbance.kind))).toEqual(new Set(Object.keys(options.weights)));
});

test('faults are sorted by start, and at most AT_ONCE faults are active at the same time', () => {
  const faults = planFaults(options, randomOf(4));
  for (const [index, fault] of faults.entries()) {
    const before = faults.slice(0, index);
    expect(fault.startMs).toBeGreaterThanOrEqual(before.at(-1)?.startMs ?? 0);
    expect(before.filter((one) => endOf(one) > fault.startMs).length).toBeLessThan(AT_ONCE);
  }
});

test('each process, link or clock is disturbed by at most one fault at a time', () => {
  const lasting = planFaults(options, randomOf(5)).filter(({ lastsMs }) => lastsMs > 0);
  for (const [index, fault] of lasting.entries()) {
    const at = lasting.slice(0, index).filter((one) => endOf(one) > fault.startMs);
    for (const other of at) expect(placeOf(other)).not.toEqual(placeOf(fault));
  }
});

function placeOf({ disturbance }: ReturnType<typeof planFaults>[number]): object {
  switch (disturbance.kind) {
    case 'cut':
      return disturbance.link;
    case 'clock':
      return { clocks: disturbance.victims };
    case 'lost store':
      return { process: 'nats' };
    default:
      return { process: disturbance.victim };
  }
}
