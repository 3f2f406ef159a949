import type { HeartbeatSignal } from '@tocsin/enums';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDeadline, applySignal, dueAt, rhythmOf, type Step, startHeartbeat } from './heartbeat.ts';
import { countPing } from './ping-window.ts';

const T0 = Date.parse('2026-11-20T10:00:00Z');
const at = (seconds: number) => new Date(T0 + seconds * 1000);
const secondsOf = (time: Date) => (time.getTime() - T0) / 1000;

/** Schedule with a ping every 10 s; the monitor fails after two missed pings. */
const rhythm = { expectedSeconds: 10, misses: 2 };

/**
 * Returns the decisions about a monitor that is created at 0 s: "<seconds> <outcome>" for each history entry, and
 * "<seconds> <state>" for each state change. The monitor receives signals such as "5 ping". Deadlines are processed on
 * time until the last signal.
 */
function story(signals: string, confirm: { down: number; up: number } = { down: 0, up: 0 }): string[] {
  let now: Step = {
    heartbeat: startHeartbeat(rhythm, at(0)),
    evaluatorState: undefined,
    confirmation: { unit: 'minutes', ...confirm },
  };
  const announced: string[] = [];
  const take = (step: Step) => {
    now = step;
    if (step.beat) announced.push(`${secondsOf(step.beat.at)} ${step.beat.outcome}`);
    if (step.change)
      announced.push(`${secondsOf(step.change.evaluatorState.enteredAt)} ${step.change.evaluatorState.state}`);
  };
  for (const line of signals.split(', ')) {
    const [seconds, signal] = line.split(' ');
    while (dueAt(now) < at(Number(seconds))) take(applyDeadline(now, dueAt(now)));
    if (signal !== 'end') take(applySignal(now, signal as HeartbeatSignal, at(Number(seconds))));
  }
  return announced;
}

describe('pings and missed pings', () => {
  test.each([
    ['the first ping moves a monitor from pending to up', '5 ping', ['5 pass', '5 up']],
    [
      'pings within the deadline cause no missed ping',
      '5 ping, 24 ping, 43 ping',
      ['5 pass', '5 up', '24 pass', '43 pass'],
    ],
    ['a monitor that was never pinged goes down after two missed pings', '29 end', ['20 timeout', '20 down']],
    [
      'a monitor whose pings stop goes down after two missed pings, and every further interval without a ping is recorded',
      '5 ping, 50 end',
      ['5 pass', '5 up', '25 timeout', '25 down', '35 timeout', '45 timeout'],
    ],
    ['a reported failure moves a monitor to down at once', '5 ping, 6 fail', ['5 pass', '5 up', '6 fail', '6 down']],
    ['one ping recovers a monitor that is down', '5 fail, 6 ping', ['5 fail', '5 down', '6 pass', '6 up']],
    [
      'the start signal of a job does not delay the deadline of the next ping',
      '5 ping, 6 start, 26 end',
      ['5 pass', '5 up', '25 timeout', '25 down'],
    ],
  ])('pings and missed pings without confirmation: %s', (_, signals, announced) => {
    expect(story(signals)).toEqual(announced);
  });
});

describe('confirmation', () => {
  test.each([
    [
      'the down state is confirmed a minute after the first missed ping',
      '5 ping, 86 end',
      [
        '5 pass',
        '5 up',
        '25 timeout',
        '35 timeout',
        '45 timeout',
        '55 timeout',
        '65 timeout',
        '75 timeout',
        '85 timeout',
        '85 down',
      ],
    ],
    [
      'a ping within the confirmation window prevents the down state',
      '5 ping, 26 ping, 27 end',
      ['5 pass', '5 up', '25 timeout', '26 pass'],
    ],
  ])('a heartbeat monitor whose down state needs confirmation: %s', (_, signals, announced) => {
    expect(story(signals, { down: 1, up: 0 })).toEqual(announced);
  });

  test('the down state is confirmed on time even if the next ping is due much later', () => {
    const daily = { expectedSeconds: 86_400, misses: 1 };
    const confirmation = { unit: 'minutes', down: 1, up: 0 } as const;
    const failing = applySignal(
      { heartbeat: startHeartbeat(daily, at(0)), evaluatorState: undefined, confirmation },
      'fail',
      at(7),
    );
    expect(secondsOf(dueAt(failing))).toBe(67);
    const down = applyDeadline(failing, at(67));
    expect(down.change).toMatchObject({
      evaluatorState: { state: 'down', previousState: 'pending' },
      error: 'the job reported a failure',
      explanation: 'failing for 1 min: the job reported a failure',
    });
    // The end of a confirmation window is neither a ping nor a missed ping, so it is not part of the history.
    expect(down.beat).toBeUndefined();
  });

  test('a recovery is confirmed without a second ping if no ping is missed', () => {
    const daily = { expectedSeconds: 86_400, misses: 1 };
    const confirmation = { unit: 'minutes', down: 0, up: 3 } as const;
    const down = applySignal(
      { heartbeat: startHeartbeat(daily, at(0)), evaluatorState: undefined, confirmation },
      'fail',
      at(0),
    );
    const pinged = applySignal(down, 'ping', at(10));
    expect(pinged.evaluatorState?.state).toBe('down');
    expect(secondsOf(dueAt(pinged))).toBe(190);
    expect(applyDeadline(pinged, at(190)).change).toMatchObject({
      evaluatorState: { state: 'up', enteredAt: at(190) },
      error: '',
      explanation: 'no ping was missed for 3 min',
    });
  });
});

test('a monitor that is down comes up at once if its window is made shorter than the time since its first ping', () => {
  const daily = { heartbeat: startHeartbeat({ expectedSeconds: 86_400, misses: 1 }, at(0)), evaluatorState: undefined };
  const failed = applySignal({ ...daily, confirmation: { unit: 'minutes', down: 0, up: 30 } }, 'fail', at(0));
  const pinged = applySignal(applySignal(failed, 'ping', at(60)), 'ping', at(660));
  expect(secondsOf(dueAt(pinged))).toBe(1_860);
  const shortened: Step = { ...pinged, confirmation: { unit: 'minutes', down: 0, up: 5 } };
  expect(secondsOf(dueAt(shortened))).toBe(660.001);
  const up = applyDeadline(shortened, at(720));
  expect(up.change?.evaluatorState).toMatchObject({ state: 'up', previousState: 'down' });
  expect(secondsOf(dueAt(up))).toBe(660 + 86_400);
});

test('every decision is later than the last one, so that no decision remains due', () => {
  const step = fc.oneof(
    fc.constantFrom<HeartbeatSignal>('ping', 'fail', 'start'),
    fc.constant('decide' as const),
    fc.record({ down: fc.nat({ max: 30 }), up: fc.nat({ max: 30 }) }),
  );
  const steps = fc.array(fc.tuple(fc.integer({ min: -60, max: 300 }), step), { maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(steps, (taken) => {
      let now: Step = { ...created, heartbeat: startHeartbeat({ expectedSeconds: 3_600, misses: 1 }, at(0)) };
      let clock = 0;
      for (const [seconds, what] of taken) {
        clock += seconds;
        if (typeof what === 'object') now = { ...now, confirmation: { unit: 'minutes', ...what } };
        else if (what !== 'decide') now = applySignal(now, what, at(clock));
        const due = dueAt(now);
        if (due > at(clock)) continue;
        now = applyDeadline(now, at(clock));
        expect(dueAt(now).getTime()).toBeGreaterThan(due.getTime());
      }
    }),
  );
});

const confirmation = { unit: 'minutes', down: 1, up: 1 } as const;
const created = { heartbeat: startHeartbeat(rhythm, at(0)), evaluatorState: undefined, confirmation };

test('the error about missed pings contains the time without a ping and the expected interval', () => {
  expect(applyDeadline(created, at(20)).beat?.error).toBe('no ping for 20 s, expected every 10 s');
});

test('if the deadline for a ping passed while no replica ran, no ping counts as missed and a new deadline begins', () => {
  const up = applySignal(created, 'ping', at(5));
  const late = applyDeadline(up, at(3_600));
  expect(late.beat).toBeUndefined();
  expect(late.evaluatorState?.state).toBe('up');
  expect(secondsOf(dueAt(late))).toBe(3_620);
});

test('a reported failure whose confirmation window ended while no replica ran is confirmed a window later', () => {
  const daily = { ...created, heartbeat: startHeartbeat({ expectedSeconds: 86_400, misses: 2 }, at(0)) };
  const late = applyDeadline(applySignal(daily, 'fail', at(5)), at(3_600));
  expect(late).toMatchObject({ evaluatorState: { state: 'pending' }, heartbeat: { lastError: expect.any(String) } });
  expect(secondsOf(dueAt(late))).toBe(3_660);
  expect(applyDeadline(late, at(3_660)).evaluatorState?.state).toBe('down');
  expect(applyDeadline(applySignal(late, 'ping', at(3_650)), at(3_710)).evaluatorState?.state).toBe('up');
});

test('a jump of the clock between two signals confirms no state', () => {
  const long = { ...created, confirmation: { unit: 'minutes', down: 30, up: 30 } as const };
  const failed = applySignal(long, 'fail', at(5));
  // Two missed pings of 10 s each, and the delay of a decision, are what the time between two signals counts for.
  expect(applySignal(failed, 'fail', at(3_605)).evaluatorState).toMatchObject({
    state: 'pending',
    streak: { since: at(3_605 - 35), rounds: 2 },
  });
  const down = applySignal({ ...long, confirmation: { ...long.confirmation, down: 0 } }, 'fail', at(5));
  const pinged = applySignal(down, 'ping', at(6));
  expect(applySignal(pinged, 'ping', at(3_606)).evaluatorState?.state).toBe('down');
});

test('a recovery without a missed ping is confirmed even if the deadline is processed late', () => {
  const daily = startHeartbeat({ expectedSeconds: 86_400, misses: 1 }, at(0));
  const down = applySignal({ ...created, heartbeat: daily, confirmation: { ...confirmation, down: 0 } }, 'fail', at(0));
  expect(applyDeadline(applySignal(down, 'ping', at(10)), at(3_600)).evaluatorState?.state).toBe('up');
});

test.each<[HeartbeatSignal, string]>([
  ['ping', 'pass'],
  ['fail', 'fail'],
])('the result of the signal "%s" contains the run time of a job that signaled its start', (signal, outcome) => {
  const ended = applySignal(applySignal(created, 'start', at(3)), signal, at(12.5));
  expect(ended.beat).toMatchObject({ outcome, phases: { total: 9_500 } });
  expect(applySignal(ended, signal, at(20)).beat?.phases).toEqual({});
});

test('signals count in the order of arrival even if the clock stops or goes back', () => {
  const one = applySignal(created, 'ping', at(50));
  const two = applySignal({ ...one, confirmation: { ...confirmation, down: 0 } }, 'fail', at(50));
  expect(two.evaluatorState?.state).toBe('down');
  const three = applySignal({ ...two, confirmation: { ...confirmation, up: 0 } }, 'ping', at(-900));
  expect(three.evaluatorState?.state).toBe('up');
});

test("the ping interval in the config takes precedence over the monitor's interval", () => {
  expect(rhythmOf({ configJson: '{}', intervalSeconds: 180 })).toEqual({ expectedSeconds: 180, misses: 2 });
  const configJson = '{"expected_interval":60,"consecutive_misses":1}';
  expect(rhythmOf({ configJson, intervalSeconds: 180 })).toEqual({ expectedSeconds: 60, misses: 1 });
});

describe('the rate limit of six pings per minute', () => {
  const allowed = (...seconds: number[]) => {
    let window = { at: at(0), count: 0 };
    return seconds.map((second) => {
      const counted = countPing(window, at(second));
      window = counted.window;
      return counted.allowed;
    });
  };

  test('the seventh ping within a minute is refused, and the next minute starts a new window', () => {
    expect(allowed(0, 1, 2, 3, 4, 59, 59.9, 60)).toEqual([true, true, true, true, true, true, false, true]);
  });

  test('the window stays open if the clock goes back less than a minute, and a new window starts if it goes back further', () => {
    expect(allowed(100, 100, 100, 100, 100, 100, 99, 41, 40)).toEqual([...Array(6).fill(true), false, false, true]);
  });
});
