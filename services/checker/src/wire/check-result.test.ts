import { create, fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { expect, test } from 'vitest';
import { encodeResult, joinResults, type SeenCheck } from './check-result.ts';

const [checkedAt, finishedAt] = [new Date('2026-01-01T10:00:00Z'), new Date('2026-01-01T10:00:12.5Z')];

function timedOut(monitorId: string): SeenCheck {
  const observation = {
    outcome: 'timeout',
    error: 'no response within 10000 ms',
    phases: { total: 10_000 },
  } as const;
  return { monitorId, region: 'eu', roundAt: checkedAt, checkedAt, finishedAt, observation };
}

test('a result contains the times at which its check began and ended', () => {
  const sent = fromBinary(CheckResultSchema, encodeResult(timedOut('m')));
  const times = [sent.result?.checkedAt, sent.finishedAt].map((time) => time && timestampDate(time));
  expect(times).toEqual([checkedAt, finishedAt]);
});

test('one result is a message itself, and several results are the batch of a message', () => {
  const results = ['a', 'b', 'c'].map((monitorId) => encodeResult(timedOut(monitorId)));
  expect(fromBinary(CheckResultSchema, joinResults(results.slice(0, 1)))).toMatchObject({ monitorId: 'a', batch: [] });
  const batch = results.map((bytes) => fromBinary(CheckResultSchema, bytes));
  expect(fromBinary(CheckResultSchema, joinResults(results))).toEqual(create(CheckResultSchema, { batch }));
});
