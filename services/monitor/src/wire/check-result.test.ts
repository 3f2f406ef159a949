import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { expect, test } from 'vitest';
import { resultFromProto } from './check-result.ts';

test("strings in a checker's result are shortened, and characters that PostgreSQL rejects are replaced", () => {
  const long = 'x'.repeat(120_000);
  const now = timestampFromDate(new Date());
  const message = create(CheckResultSchema, {
    monitorId: crypto.randomUUID(),
    roundAt: now,
    result: {
      region: 'eu',
      outcome: CheckOutcome.ERROR,
      error: `a\0b${long}`,
      certificate: { fingerprint: 'f', issuer: long, subject: long, notAfter: now, problem: long },
      script: { steps: Array.from({ length: 500 }, () => ({ name: long })), log: Array<string>(500).fill(long) },
    },
  });
  const result = resultFromProto(message);
  expect(result?.error).toBe(`a\u{fffd}b${'x'.repeat(996)}…`);
  expect(result?.certificate?.problem).toHaveLength(1_000);
  expect(JSON.stringify(result).length).toBeLessThan(500_000);
});
