import { expect, test } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import { summarize } from './summarize.ts';

const delivered: Outcome = { kind: 'delivered', httpStatus: undefined };
const refused: Outcome = { kind: 'refused', error: 'refused (550)', httpStatus: undefined };
const failed: Outcome = { kind: 'failed', error: 'later (450)', httpStatus: undefined };
const unable: Outcome = { kind: 'unable', error: 'no SMTP server' };

const marked = (...outcomes: Outcome[]) => outcomes.map((outcome, index) => ({ mark: `m${index}`, outcome }));

test.each([
  ['all got it', [delivered, delivered], [], delivered],
  ['the others got it before', [], ['m9'], delivered],
  ['one is refused', [delivered, refused], [], delivered],
  ['the last one is refused', [refused], ['m9'], delivered],
  ['all are refused', [refused, refused], [], refused],
  ['one is to be tried again', [delivered, failed, refused], ['m9'], { ...failed, reached: ['m9', 'm0'] }],
  ['nothing can be sent', [unable, unable], [], unable],
])('when %s', (_, outcomes, before, expected) => {
  expect(summarize(marked(...outcomes), before)).toEqual(expected);
});
