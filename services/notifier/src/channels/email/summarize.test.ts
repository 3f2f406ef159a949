import { expect, test } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import { summarize } from './summarize.ts';

const delivered: Outcome = { kind: 'delivered', httpStatus: undefined };
const refused: Outcome = { kind: 'refused', error: 'refused (550)', httpStatus: undefined };
const failed: Outcome = { kind: 'failed', error: 'later (450)', httpStatus: undefined };
const unable: Outcome = { kind: 'unable', error: 'no SMTP server' };

const marked = (...outcomes: Outcome[]) => outcomes.map((outcome, index) => ({ mark: `m${index}`, outcome }));

test.each([
  ['all recipients got the email', [delivered, delivered], [], delivered],
  ['all recipients already had the email', [], ['m9'], delivered],
  ['one recipient is refused', [delivered, refused], [], delivered],
  ['the last remaining recipient is refused', [refused], ['m9'], delivered],
  ['all recipients are refused', [refused, refused], [], refused],
  ['one recipient must be retried', [delivered, failed, refused], ['m9'], { ...failed, reached: ['m9', 'm0'] }],
  ['no email can be sent', [unable, unable], [], unable],
])('summarize() returns the combined outcome when %s', (_, outcomes, before, expected) => {
  expect(summarize(marked(...outcomes), before)).toEqual(expected);
});
