import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { expect, test } from 'vitest';
import { encodeResults } from './check-result.ts';

test('a result contains the times at which its check began and ended', () => {
  const [checkedAt, finishedAt] = [new Date('2026-01-01T10:00:00Z'), new Date('2026-01-01T10:00:12.5Z')];
  const bytes = encodeResults([
    {
      monitorId: 'm',
      region: 'eu',
      roundAt: checkedAt,
      checkedAt,
      finishedAt,
      observation: { outcome: 'timeout', error: 'no response within 10000 ms', phases: { total: 10_000 } },
    },
  ]);
  const sent = fromBinary(CheckResultSchema, bytes);
  const times = [sent.result?.checkedAt, sent.finishedAt].map((time) => time && timestampDate(time));
  expect(times).toEqual([checkedAt, finishedAt]);
});
