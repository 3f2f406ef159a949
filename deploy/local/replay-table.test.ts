import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ReplayMonitorResponseSchema } from '@tocsin/proto/monitor/v1/admin';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { expect, test } from 'vitest';
import { describeReplay } from './replay-table.ts';

const time = (minute: number) => timestampFromDate(new Date(Date.UTC(2026, 2, 1, 12, minute)));

test('the differences that a replay finds are shown as a table', () => {
  const shown = describeReplay(
    create(ReplayMonitorResponseSchema, {
      from: time(0),
      rounds: 120,
      transitions: 2,
      differences: [
        { at: time(5), stateThen: MonitorState.DOWN, explanation: '2 of 3 regions failed: status 502' },
        { at: time(7), stateToday: MonitorState.DOWN, explanation: '3 of 3 regions failed for 2 min: status 502' },
      ],
    }),
  );
  expect(
    shown,
  ).toContain(`120 rounds since 2026-03-01 12:00:00, with 2 changes of state. Today's rules would have decided otherwise 2 times:

at (UTC)             then  today  why
2026-03-01 12:05:00  down  -      2 of 3 regions failed: status 502
2026-03-01 12:07:00  -     down   3 of 3 regions failed for 2 min: status 502
`);
});

test('the report of a replay without differences states that there are none, and describes the limitations of replays', () => {
  const shown = describeReplay(create(ReplayMonitorResponseSchema, { from: time(0), rounds: 3, transitions: 1 }));
  expect(shown).toContain("Today's rules would have decided the same.");
  expect(shown).toContain('Settings and regions of the past are not stored');
});
